//! Instants: what is accepted and when it is, and the error for everything else.

use std::time::Duration;

use rig_core::time::Timestamp;
use rig_sched::parse::{self, DurationInput, InstantInput, Time, TimeInput};
use serde_json::{Value, json};

const DAY: Duration = Duration::from_hours(24);

/// 2026-08-01T18:30:00Z
const EVENING: i64 = 1_785_609_000_000;

/// 2026-08-01T00:00:00Z
fn now() -> Timestamp {
    Timestamp::from_millis(1_785_542_400_000).expect("a date")
}

/// Milliseconds since the epoch of a JSON text or number, or the code of the error.
fn at(value: &Value) -> Result<i64, &'static str> {
    let input: InstantInput = serde_json::from_value(value.clone()).map_err(|_| "bad_request")?;
    parse::instant(&input, now(), DAY).map(Timestamp::as_millis).map_err(|error| error.code())
}

fn text(text: &str) -> Result<i64, &'static str> {
    at(&text.into())
}

#[track_caller]
fn all(inputs: &[&str], expected: Result<i64, &'static str>) {
    for input in inputs {
        assert_eq!(text(input), expected, "{input:?}");
    }
}

#[test]
fn instants_are_read_in_all_their_spellings() {
    let spellings = [
        "2026-08-01T18:30:00Z",
        "2026-08-01T20:30:00+02:00",
        "2026-08-01t18:30:00z",
        "2026-08-01 18:30:00Z",
        "2026-08-01T18:30Z",
        "2026-08-01T20:30+02",
        "20260801T183000Z",
        "Sat, 01 Aug 2026 18:30:00 GMT",
        "1 Aug 2026 18:30 +0000",
        " \t2026-08-01T18:30:00.000000000Z\r\n",
        "2026-08-01T18:30:00-00:00",
        "1 Aug 2026 18:30:00 -0000",
        "2026-08-01T18:30-00",
        "2026-08-01T20:30:00+0200",
        "2026-08-01T20:30:00.0+02",
        "20260801T1430-0400",
        "20260801T203000+02:00",
        "sat, 1 aug 26 14:30 EDT",
        "Sat, 01 Aug 2026 18:30:00 GMT (a comment)",
        "1785609000",
        "1785609000000",
    ];
    all(&spellings, Ok(EVENING));
    assert_eq!(at(&json!(1_785_609_000)), Ok(EVENING));
    assert_eq!(at(&json!(1_785_609_000_000_i64)), Ok(EVENING));
    assert_eq!(at(&json!(1_785_609_000.0)), Ok(EVENING));
    // As a number it has no exponent any more.
    assert_eq!(at(&serde_json::from_str("1e9").expect("JSON")), Ok(1_000_000_000_000));
}

#[test]
fn instants_are_rounded_up() {
    assert_eq!(at(&json!(1_785_609_000.5)), Ok(EVENING + 500));
    all(&["1785609000.500000000", "1785609000499.1"], Ok(EVENING + 500));
    all(&["2026-08-01T18:30:00.0001Z", "2026-08-01T18:30:00.001Z"], Ok(EVENING + 1));
    all(&["2026-08-01T18:30:00.000000001Z", "1785609000.000000001"], Ok(EVENING + 1));
    all(&["1969-12-31T23:59:59.9999Z"], Ok(0));
    all(&["1969-12-31T23:59:59.9981Z"], Ok(-1));
}

#[test]
fn offsets_reach_18_hours_either_way() {
    all(&["2026-08-01T18:30:00+18:00", "20260801T183000+18"], Ok(1_785_544_200_000));
    all(&["2026-08-01T18:30:00-18:00"], Ok(EVENING + 64_800_000));
    let further = [
        "2026-08-01T18:30:00+18:30",
        "2026-08-01T18:30:00-18:01",
        "2026-08-01T18:30:00+24:00",
        "2026-08-01 18:30:00-99:59",
        "2026-08-01T18:30+19",
        "Sat, 01 Aug 2026 18:30:00 +1801",
        "1 Aug 2026 18:30:00 -9959",
    ];
    all(&further, Err("instant_offset"));
}

#[test]
fn an_offset_is_never_guessed() {
    let without = [
        "2026-08-01T18:30:00",
        "Sat, 01 Aug 2026 18:30:00",
        "2026-08-01 18:30:00",
        "2026-08-01t18:30:00.5",
        "2026-08-01T18:30",
        "20260801T1830",
        "1 Aug 2026 18:30",
        "1 Aug 2026 18:30 (in the evening)",
        "Fri, 01 Aug 2026 18:30:00",
    ];
    all(&without, Err("instant_no_offset"));
}

#[test]
fn the_weekday_must_be_that_of_the_date() {
    all(&["Fri, 01 Aug 2026 18:30:00 GMT", "sun, 1 Aug 2026 18:30 +0000"], Err("instant_weekday"));
}

#[test]
fn second_60_is_a_leap_second_whatever_else_is_wrong() {
    let leaps = [
        "2026-08-01T18:30:60Z",
        "2016-12-31T23:59:60Z",
        "2026-08-01T18:30:60.5Z",
        "20260801T183060Z",
        "2026-08-01T18:30:60",
        "2026-08-01T18:30:60+19:00",
        "Fri, 01 Aug 2026 18:30:60 GMT",
    ];
    all(&leaps, Err("instant_leap_second"));
}

#[test]
fn everything_else_cannot_be_read() {
    let words = [
        "2026-08-01",
        "2026-08-01T24:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-W31-6T18:30Z",
        "2026-213T18:30Z",
        "2026-08-01T18:30:00Z[UTC]",
        "2026-8-1T18:30:00Z",
        "Sat, 01 Aug 2026 18:30:00 A",
        "Sat, 01 Aug 2026 18:30:00 A (Alpha)",
        "2026-08-01T18:30:00.1234567890Z",
        "2026-08-01T18:30:00.1234567890+0000",
        "1785609000.1234567890",
        "tomorrow",
        "1e9",
        "2026-08-01T18:30:61Z",
        "2026-08-01T18:60:00Z",
        "2026-08-01T18Z",
        "2026-08-01T18:30:00+02:60",
        "2026-08-01T18:30:00+2",
        "2026-08-01T18:30:00+02:0",
        "2026-08-01T18:30:00 Z",
        "2026-08-01 18:30Z",
        "2026-08-01T18:30z",
        "2026-08-01T1830Z",
        "20260801T18:30Z",
        "20260801T183000.5Z",
        "20260801 183000Z",
        "2026-08-01T18:30:00,5Z",
        "2026-08-01T18:30:00.Z",
        "2026-08-01T18:30.5Z",
        "02026-08-01T18:30:00Z",
        "+2026-08-01T18:30:00Z",
        "Sat, 01 Aug 2026 24:00:00 GMT",
        "Sat, 31 Feb 2026 18:30:00 GMT",
        "Sat, 01 Aug 2026 18:30:00 CET",
        "Sat 01 Aug 2026 18:30:00 GMT",
        "Sat, 01 Aug 2026\t18:30:00 GMT",
        "2026-08-01T18:30:00\u{2212}02:00",
        "2026-08-01T18:30:00Z\u{0}",
        "-5",
        "1785609000.",
        ".5",
        "0000-01-01T00:00:00+18:00",
    ];
    all(&words, Err("instant_unreadable"));
    all(&[&"1".repeat(101)], Err("instant_unreadable"));
    all(&["", " \r\n\t"], Err("instant_empty"));
    assert_eq!(at(&json!(-5)), Err("instant_unreadable"));
    assert_eq!(at(&json!(1e300)), Err("instant_unreadable"));
    assert_eq!(at(&json!(true)), Err("bad_request"));
    assert_eq!(at(&json!({"at": 5})), Err("bad_request"));
}

#[test]
fn a_unix_number_is_what_the_window_tells() {
    all(&["1500000000"], Ok(1_500_000_000_000));
    all(&["1785628800", "1785628800000"], Ok(1_785_628_800_000)); // 24 hours ahead
    all(&["1785628800.001", "1785628800001", "1785628800.0001"], Err("past_limit"));
    all(&["1790000000", "99999999999999", &"9".repeat(100)], Err("past_limit"));
    all(&["31536000", "31536000000"], Ok(31_536_000_000)); // 1971
    all(&["42", "0", "31535999", "20260801"], Err("instant_out_of_window"));
    all(&["100000000000"], Ok(100_000_000_000)); // milliseconds: 1973
    assert_eq!(at(&json!(42)), Err("instant_out_of_window"));
}

#[test]
fn other_instants_are_left_to_the_operation() {
    all(&["2027-08-01T00:00:00Z"], Ok(1_817_078_400_000));
    all(&["1 Jan 1950 00:00 Z"], Ok(-631_152_000_000));
    // What no timestamp holds is past every limit.
    all(&["9999-12-31T23:59:59-18:00", "9999-12-31T23:59:59.9999Z"], Err("past_limit"));
    all(&["1 Jan 12026 00:00 GMT"], Err("past_limit"));
}

#[test]
fn a_time_is_a_delay_or_an_instant() {
    let time = |delay: Option<&'static str>, at: Option<&'static str>| {
        let delay = delay.map_or_else(DurationInput::default, Into::into);
        let input = TimeInput { delay, at: at.map(Into::into) };
        parse::time(&input, now(), DAY).map_err(|error| error.code())
    };
    assert_eq!(time(Some("1h"), None), Ok(Time::After(Duration::from_hours(1))));
    assert_eq!(time(None, Some("2026-08-01T00:00:00Z")), Ok(Time::At(now())));
    assert_eq!(time(Some("1h"), Some("1785609000")), Err("time_conflict"));
    assert_eq!(time(None, None), Err("time_missing"));
    assert_eq!(time(Some(""), None), Err("duration_empty"));
    assert_eq!(time(None, Some("")), Err("instant_empty"));
}
