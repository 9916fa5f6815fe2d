//! What an error tells besides its code.

use std::time::Duration;

use rig_core::time::Timestamp;
use rig_sched::parse::{self, DurationInput, Error, TimeInput};

const DAY: Duration = Duration::from_hours(24);

fn now() -> Timestamp {
    Timestamp::from_millis(1_785_542_400_000).expect("a date")
}

fn of_duration(text: &str) -> Error {
    parse::duration(text, DAY).expect_err(text)
}

fn of_instant(text: &str) -> Error {
    parse::instant(text, now(), DAY).expect_err(text)
}

#[track_caller]
fn tells(error: &Error, parts: &[&str]) {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

#[test]
fn what_was_left_out_is_named_with_an_example() {
    let accepted = ["`duration`", "`seconds`", "`minutes`", "`hours`", "`days`", "`1h 30m`"];
    tells(&of_duration(" "), &accepted);
    tells(&parse::duration(DurationInput::default(), DAY).unwrap_err(), &accepted);
    let both = DurationInput { days: Some(1.0), seconds: Some(2.0), .."1h".into() };
    tells(&parse::duration(both, DAY).unwrap_err(), &accepted);
    tells(
        &parse::duration(DurationInput { days: Some(1.0), .."1h".into() }, DAY).unwrap_err(),
        &["\"1h\" and days"],
    );
    let neither = parse::time(&TimeInput::default(), now(), DAY).unwrap_err();
    tells(&neither, &["`at`", "2026-08-01T18:30:00Z"]);
    tells(&neither, &accepted);
}

#[test]
fn what_cannot_be_read_is_named_with_its_byte() {
    tells(&of_duration("1h ago"), &["\"1h ago\"", "\"ago\"", "byte 3", "a number"]);
    tells(&of_duration("  1h,"), &["\",\"", "byte 4"]);
    tells(&of_duration("1.h"), &["\"h\"", "byte 2", "a digit"]);
    tells(&of_duration("P"), &["at its end", "byte 1"]);
    tells(&of_duration("1h \u{a0}5m"), &["byte 3", "ASCII"]);
    tells(&of_duration(&"9".repeat(101)), &["byte 100", "100 bytes"]);
    tells(&of_duration("1h -5m"), &["\"-5m\"", "byte 3"]);
    tells(&of_duration("30m 1 h"), &["\"1 h\"", "byte 4"]);
    tells(&of_duration("1.333h"), &["\"1.333h\"", "byte 0"]);
    tells(&of_duration(" 0.4ms"), &["\"0.4ms\"", "byte 1"]);
}

#[test]
fn a_wrong_unit_is_told_with_the_right_ones() {
    for (text, part, byte) in [
        ("1h 30", "\"30\"", "byte 3"),
        ("1h 3 fortnights", "\"3 fortnights\"", "byte 3"),
        ("1M", "\"1M\"", "byte 0"),
        ("P2DT1Y", "\"1Y\"", "byte 4"),
    ] {
        tells(
            &of_duration(text),
            &[
                part,
                byte,
                "w (weeks)",
                "d (days)",
                "h (hours)",
                "m or min",
                "s (seconds)",
                "ms, us and ns",
            ],
        );
    }
    assert!(
        of_duration("1M")
            .hint()
            .is_some_and(|hint| hint.contains("`m` is a minute and `M` a month"))
    );
    assert!(of_duration("1.333h").hint().is_some_and(|hint| hint.contains("smaller unit")));
}

#[test]
fn what_is_past_the_limit_is_told_with_it() {
    let error = of_duration(" 2d ");
    assert_eq!(error.to_string(), "2d is past the limit of 1day");
    let Error::PastLimit(past) = error else { panic!("it is past the limit") };
    assert_eq!((past.asked.as_str(), past.limit), ("2d", DAY));
    let fields = DurationInput { days: Some(2.0), hours: Some(0.5), ..DurationInput::default() };
    tells(&parse::duration(&fields, DAY).unwrap_err(), &["hours 0.5, days 2"]);
}

#[test]
fn an_instant_that_is_refused_is_told_with_the_accepted_forms() {
    let texts = [
        "",
        "tomorrow",
        "2026-08-01T18:30:00",
        "2026-08-01T18:30:00+19:00",
        "2026-08-01T18:30:60Z",
        "Fri, 01 Aug 2026 18:30:00 GMT",
    ];
    for text in texts {
        tells(
            &of_instant(text),
            &[
                &format!("{text:?}"),
                "RFC 3339",
                "ISO 8601",
                "RFC 2822",
                "Unix seconds or milliseconds",
            ],
        );
    }
    tells(&of_instant("2026-08-01T18:30:00+19:00"), &["18:00"]);
    tells(&of_instant("Fri, 01 Aug 2026 18:30:00 GMT"), &["is a Sat"]);
    assert_eq!(of_instant("2026-08-01T18:30:60Z").hint(), Some("give the second after"));
}

#[test]
fn a_unix_number_is_told_in_both_readings() {
    let early = of_instant("42");
    let window = ["1971-01-01T00:00:00.000Z", "2026-08-02T00:00:00.000Z"];
    tells(
        &early,
        &["42", "1970-01-01T00:00:42.000Z as seconds", "1970-01-01T00:00:00.042Z as milliseconds"],
    );
    tells(&early, &window);
    let late = of_instant("1790000000");
    tells(&late, &["1790000000", "2026-09-21T14:13:20.000Z", "1970-01-21T17:13:20.000Z", "1day"]);
    tells(&of_instant("99999999999999"), &["a date past the year 9999 as seconds", "5138-11-16"]);
}

#[test]
fn a_long_text_is_cut_in_the_message() {
    let long = "ä".repeat(10_000);
    assert!(of_duration(&long).to_string().len() < 1000);
    assert!(of_instant(&long).to_string().len() < 1000);
}
