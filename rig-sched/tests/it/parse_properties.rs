//! What holds for every text, and what other libraries make of the same ones.

use std::time::Duration;

use chrono::{DateTime, FixedOffset, NaiveDateTime, SecondsFormat, TimeZone as _};
use proptest::prelude::*;
use rig_core::time::Timestamp;
use rig_sched::parse::{self, DurationInput, InstantInput};

fn now() -> Timestamp {
    Timestamp::from_millis(1_785_542_400_000).expect("a date")
}

fn instant(text: &str) -> Result<i64, &'static str> {
    parse::instant(text, now(), Duration::MAX)
        .map(Timestamp::as_millis)
        .map_err(|error| error.code())
}

/// Nanoseconds as whole milliseconds, rounded up.
fn up(nanoseconds: i128) -> i64 {
    i64::try_from(-(-nanoseconds).div_euclid(1_000_000)).expect("a date")
}

/// Nanoseconds since the epoch.
fn nanoseconds(date: &DateTime<FixedOffset>) -> i128 {
    i128::from(date.timestamp()) * 1_000_000_000 + i128::from(date.timestamp_subsec_nanos())
}

/// What jiff reads as RFC 3339, ISO 8601 or RFC 2822.
fn jiff(text: &str) -> Option<i64> {
    let read =
        text.parse().or_else(|_| jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text));
    read.ok().map(|it: jiff::Timestamp| up(it.as_nanosecond()))
}

/// What chrono reads as RFC 3339 or RFC 2822.
fn chrono(text: &str) -> Option<i64> {
    let read = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
    read.ok().map(|read| up(nanoseconds(&read)))
}

/// A local time and its offset in minutes.
fn dates() -> impl Strategy<Value = DateTime<FixedOffset>> {
    (-62_000_000_000..253_000_000_000_i64, 0..1_000_000_000_u32, -1080..=1080_i32).prop_map(
        |(seconds, nanoseconds, minutes)| {
            let local: NaiveDateTime =
                DateTime::from_timestamp(seconds, nanoseconds).expect("a date").naive_utc();
            let offset = FixedOffset::east_opt(minutes * 60).expect("an offset");
            offset.from_local_datetime(&local).single().expect("a fixed offset")
        },
    )
}

/// Texts that are nearly a duration or an instant.
fn nearly() -> impl Strategy<Value = String> {
    let alphabet = "[0-9]{1,3}|[PTWDHMSYZdhmswzu]|ms|min|and| |,|\\.|-|\\+|:|2026|Sat|Aug|GMT|T|Z";
    proptest::collection::vec(alphabet, 0..16).prop_map(|parts| parts.concat())
}

/// The text with one character exchanged for, or preceded by, another.
fn mistyped(text: &str, place: prop::sample::Index, typed: char, inserted: bool) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let place = place.index(characters.len());
    if inserted {
        characters.insert(place, typed);
    } else {
        characters[place] = typed;
    }
    characters.into_iter().collect()
}

/// The spellings of an instant that the standards allow.
fn spelled(date: &DateTime<FixedOffset>) -> [String; 8] {
    [
        date.to_rfc3339_opts(SecondsFormat::AutoSi, false),
        date.to_rfc3339_opts(SecondsFormat::Nanos, false).replace('T', " "),
        date.format("%Y-%m-%dT%H:%M:%S%.9f%z").to_string(),
        date.to_utc().to_rfc3339_opts(SecondsFormat::Nanos, true).to_lowercase(),
        date.to_utc().format("%Y%m%dT%H%M%SZ").to_string(),
        date.format("%Y-%m-%dT%H:%M%:z").to_string(),
        date.format("%a, %d %b %Y %H:%M:%S %z").to_string(),
        date.format("%-d %b %Y %H:%M %z").to_string(),
    ]
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), near in nearly(), bytes in any::<Vec<u8>>(), limit in any::<Duration>()) {
        for text in [text.as_str(), &near, &String::from_utf8_lossy(&bytes)] {
            for error in [parse::duration(text, limit).err(), parse::instant(text, now(), limit).err()] {
                prop_assert!(error.is_none_or(|error| !error.to_string().is_empty()));
            }
        }
    }

    #[test]
    fn no_number_makes_it_panic(numbers in any::<[Option<f64>; 4]>(), number in any::<f64>()) {
        let [seconds, minutes, hours, days] = numbers;
        let input = DurationInput { duration: None, seconds, minutes, hours, days };
        let _ = parse::duration(&input, Duration::MAX);
        if let Some(number) = serde_json::Number::from_f64(number) {
            let _ = parse::instant(InstantInput::Number(number), now(), Duration::from_hours(24));
        }
    }

    #[test]
    fn a_duration_as_humantime_writes_it_is_read_back(milliseconds in 0..1_000_000_000_000_u64) {
        // Without the months and years that humantime writes for long ones.
        let duration = Duration::from_millis(milliseconds % (28 * 86_400_000));
        let text = humantime::format_duration(duration).to_string();
        prop_assert_eq!(parse::duration(text.as_str(), Duration::MAX), Ok(duration));
    }

    #[test]
    fn a_duration_is_what_humantime_and_jiff_make_of_it(near in nearly()) {
        let Ok(ours) = parse::duration(near.as_str(), Duration::MAX) else { return Ok(()) };
        let round = |nanoseconds: i128| (nanoseconds + 500_000) / 1_000_000;
        let ours = i128::try_from(ours.as_millis()).expect("a duration");
        // Commas, words between terms, capitals and ISO 8601 are only ours.
        if let Ok(theirs) = humantime::parse_duration(&near) {
            prop_assert_eq!(ours, round(i128::try_from(theirs.as_nanos()).expect("a duration")));
        }
        // It knows no days, which may have 23 hours there.
        if let Ok(theirs) = near.parse::<jiff::SignedDuration>() {
            prop_assert_eq!(ours, round(theirs.as_nanos()));
        }
    }

    #[test]
    fn fields_come_to_what_their_text_does(thousandths in 0..100_000_000_u32, hours in 0..1000_u32) {
        let seconds = f64::from(thousandths) / 1000.0;
        let input = DurationInput { seconds: Some(seconds), hours: Some(hours.into()), ..DurationInput::default() };
        let text = format!("{hours}h {seconds}s");
        prop_assert_eq!(parse::duration(&input, Duration::MAX), parse::duration(text.as_str(), Duration::MAX));
    }

    #[test]
    fn an_instant_is_the_same_in_all_its_spellings(date in dates()) {
        for text in spelled(&date) {
            let ours = instant(&text);
            // Some leave the fraction or the seconds out, and jiff says what is left.
            prop_assert_eq!(ours.ok(), jiff(&text), "{}", text);
            prop_assert!(chrono(&text).is_none_or(|theirs| ours == Ok(theirs)), "{}", text);
        }
        let exact = instant(&spelled(&date)[0]);
        prop_assert_eq!(exact, Ok(up(nanoseconds(&date))));
        let stored = Timestamp::from_millis(up(nanoseconds(&date))).expect("a date");
        prop_assert_eq!(instant(&stored.to_string()), Ok(stored.as_millis()));
    }

    /// Whatever is accepted means to others what it means to us, if they read it at all.
    #[test]
    fn a_mistyped_instant_is_refused_or_means_the_same_to_others(
        date in dates(),
        which in 0..8_usize,
        place in any::<prop::sample::Index>(),
        typed in "[0-9TtZz+:., -]",
        inserted in any::<bool>(),
    ) {
        let typed = typed.chars().next().expect("one");
        let text = mistyped(&spelled(&date)[which], place, typed, inserted);
        if let Ok(ours) = instant(&text) {
            prop_assert!(jiff(&text).is_none_or(|theirs| ours == theirs), "{}: jiff", text);
            prop_assert!(chrono(&text).is_none_or(|theirs| ours == theirs), "{}: chrono", text);
        }
    }

    #[test]
    fn a_unix_number_means_one_instant(milliseconds in 31_536_000_000..1_785_628_800_000_i64) {
        let day = Duration::from_hours(24);
        let expected = Timestamp::from_millis(milliseconds).expect("a date");
        prop_assert_eq!(parse::instant(milliseconds, now(), day), Ok(expected));
        let seconds = format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000);
        prop_assert_eq!(parse::instant(seconds.as_str(), now(), day), Ok(expected));
    }
}

/// Where chrono and jiff disagree, a text is read only if one form of the standards says what it
/// means; otherwise it is refused.
#[test]
fn where_two_libraries_disagree_nothing_is_guessed() {
    const EVENING: i64 = 1_785_609_000_000;
    let refused = |code| Err::<i64, _>(code);
    let unreadable = refused("instant_unreadable");
    for (text, chrono_reads, jiff_reads, ours) in [
        // Shapes of ISO 8601 that chrono's RFC 3339 has not.
        ("2026-08-01T18:30Z", None, Some(EVENING), Ok(EVENING)),
        ("20260801T183000Z", None, Some(EVENING), Ok(EVENING)),
        ("2026-08-01T20:30:00+02", None, Some(EVENING), Ok(EVENING)),
        // And those that hardly anybody means.
        ("2026-08-01T18Z", None, Some(1_785_607_200_000), unreadable),
        ("2026-08-01T1830Z", None, Some(EVENING), unreadable),
        ("20260801T18:30:00Z", None, Some(EVENING), unreadable),
        ("20260801 183000Z", None, Some(EVENING), unreadable),
        ("2026-08-01T18:30:00,0Z", None, Some(EVENING), unreadable),
        ("+002026-08-01T18:30:00Z", None, Some(EVENING), unreadable),
        ("2026-08-01T18:30:00Z[UTC]", None, Some(EVENING), unreadable),
        ("2026-08-01T18:30:00+00:00:01", None, Some(1_785_608_999_000), unreadable),
        ("2026-08-01T18:30:00+25:59", None, Some(1_785_515_460_000), refused("instant_offset")),
        // One goes on to the next minute and one stays in this one.
        (
            "2026-08-01T18:30:60Z",
            Some(EVENING + 60_000),
            Some(EVENING + 59_000),
            refused("instant_leap_second"),
        ),
        (
            "Sat, 01 Aug 2026 18:30:60 GMT",
            Some(EVENING + 60_000),
            Some(EVENING + 59_000),
            refused("instant_leap_second"),
        ),
        // One drops the digits that it does not hold.
        ("2026-08-01T18:30:00.1234567890Z", Some(EVENING + 124), None, unreadable),
        ("2026-08-01T18:30:00\u{2212}02:00", Some(EVENING + 7_200_000), None, unreadable),
        // One takes every name of a zone that it does not know for UTC.
        ("Sat, 01 Aug 2026 18:30:00 CET", None, Some(EVENING), unreadable),
        ("Sat, 01 Aug 2026 18:30:00 UTC", None, Some(EVENING), unreadable),
        ("Sat, 01 Aug 2026 18 : 30 : 00 GMT", None, Some(EVENING), unreadable),
    ] {
        assert_eq!(chrono(text), chrono_reads, "{text}: chrono");
        assert_eq!(jiff(text), jiff_reads, "{text}: jiff");
        assert_eq!(instant(text), ours, "{text}");
    }
}

/// Where both read what was not meant.
#[test]
fn what_both_libraries_guess_is_refused() {
    for (text, expected) in [
        ("Sat, 01 Aug 2026 18:30:00 A", "instant_unreadable"),
        ("2026-08-01T18:30:00+18:30", "instant_offset"),
    ] {
        assert_eq!(chrono(text), jiff(text), "{text}");
        assert!(chrono(text).is_some(), "{text}");
        assert_eq!(instant(text), Err(expected), "{text}");
    }
}
