//! Durations: what is accepted and how much it is, and the error for everything else.

use std::time::Duration;

use rig_sched::parse::{self, DurationInput, Error};
use serde_json::json;

const DAY: Duration = Duration::from_hours(24);

/// Milliseconds, or the code of the error.
fn text(text: &str) -> Result<u128, &'static str> {
    parse::duration(text, Duration::MAX).map(|it| it.as_millis()).map_err(|error| error.code())
}

/// What a JSON request comes to; what is no such request at all is told as `bad_request`.
fn fields(request: &serde_json::Value, limit: Duration) -> Result<u128, &'static str> {
    let input: DurationInput =
        serde_json::from_str(&request.to_string()).map_err(|_| "bad_request")?;
    parse::duration(&input, limit).map(|it| it.as_millis()).map_err(|error| error.code())
}

#[track_caller]
fn all(inputs: &[&str], expected: Result<u128, &'static str>) {
    for input in inputs {
        assert_eq!(text(input), expected, "{input:?}");
    }
}

#[test]
fn durations_are_read_in_all_their_spellings() {
    let spellings = [
        "1h 30m",
        "1h30m",
        "1h, 30m",
        "1 hour and 30 minutes",
        "PT1H30M",
        "90 min",
        "1H 30MIN",
        " \t1h\r\n30m\n",
        "1h ,30m",
        "1h , and 30m",
        "1 hr 30 mins",
        "001h 30m",
    ];
    all(&spellings, Ok(5_400_000));
    assert_eq!(fields(&json!({"minutes": 90}), Duration::MAX), Ok(5_400_000));
    all(&["1.5h 30m"], Ok(7_200_000));
    all(&["2.5d", "P2.5D"], Ok(216_000_000));
    all(&["1w", "P1W", "1 wk", "1wks", "1 WEEKS"], Ok(604_800_000));
    all(&["PT0.5H", "P0DT0.5H"], Ok(1_800_000));
    all(&["0", " 0 ", "0s", "PT0S", "P0W", "0h 0m"], Ok(0));
    all(&["1w 1d 1h 1m 1s 1ms 1us 1ns", "P8DT1H1M1.001S"], Ok(694_861_001));
    all(&["1000usec", "1000000 nsec", "1MS", "1 millis", "1 msec"], Ok(1));
}

#[test]
fn a_request_names_its_duration_by_fields() {
    assert_eq!(fields(&json!({"seconds": 0}), DAY), Ok(0));
    assert_eq!(fields(&json!({"seconds": -0.0}), DAY), Ok(0));
    assert_eq!(fields(&json!({"seconds": 5, "hours": null}), DAY), Ok(5000));
    assert_eq!(fields(&json!({"hours": 1.333}), DAY), Ok(4_798_800));
    assert_eq!(
        fields(&json!({"days": 0.5, "hours": 1, "minutes": 1, "seconds": 1.5}), DAY),
        Ok(46_861_500)
    );
    assert_eq!(fields(&json!({}), DAY), Err("duration_missing"));
    assert_eq!(fields(&json!({"duration": null}), DAY), Err("duration_missing"));
    assert_eq!(fields(&json!({"duration": "1h", "hours": 1}), DAY), Err("duration_conflict"));
    assert_eq!(fields(&json!({"hours": "1"}), DAY), Err("bad_request"));
    assert_eq!(fields(&json!({"delay": 5}), DAY), Err("bad_request"));
    assert_eq!(fields(&json!({"duration": 5}), DAY), Err("bad_request"));
    assert_eq!(fields(&json!({"days": -1}), DAY), Err("duration_field_invalid"));
    assert_eq!(fields(&json!({"seconds": 0.0001}), DAY), Err("duration_too_small"));
    assert_eq!(fields(&json!({"seconds": 5e-324}), DAY), Err("duration_too_small"));
    assert_eq!(fields(&json!({"hours": 1e308}), Duration::MAX), Err("past_limit"));
    let repeated = serde_json::from_str::<DurationInput>(r#"{"hours": null, "hours": 1}"#);
    assert!(repeated.unwrap_err().to_string().contains("duplicate field `hours`"));
}

#[test]
fn fields_are_checked_each_before_they_are_added() {
    let two = DurationInput {
        minutes: Some(f64::INFINITY),
        days: Some(-1.0),
        ..DurationInput::default()
    };
    let Err(Error::DurationFieldInvalid { field, given }) = parse::duration(&two, DAY) else {
        panic!("the first field is at fault");
    };
    assert_eq!((field, given.as_str()), ("minutes", "inf"));
    // Adding it first would have made the sum positive.
    assert_eq!(fields(&json!({"seconds": 100, "minutes": -1}), DAY), Err("duration_field_invalid"));
}

#[test]
fn halves_are_rounded_up_as_their_decimal_text_has_them() {
    // Multiplied as floating point numbers, each of these comes to a little less than a half.
    for (seconds, expected) in [(1.0005, 1001), (8.0035, 8004), (0.0005, 1), (2.00049, 2000)] {
        assert_eq!(fields(&json!({ "seconds": seconds }), DAY), Ok(expected), "{seconds}");
        all(&[&format!("{seconds}s")], Ok(expected));
    }
    // As floating point numbers these do not come to 0.3.
    assert_eq!(
        fields(&json!({"seconds": 0.0001, "minutes": 0.000_006_666_666_666_666_667}), DAY),
        Ok(1)
    );
}

#[test]
fn flags_reach_the_checks_of_the_fields() {
    let flags = |duration, numbers| {
        DurationInput::of_flags(duration, numbers)
            .and_then(|input| parse::duration(input, DAY))
            .map(|it| it.as_millis())
            .map_err(|error| (error.code(), error.to_string()))
    };
    assert_eq!(flags(None, [Some("90"), Some("1.5"), None, None]), Ok(180_000));
    assert_eq!(flags(None, [Some("-0"), None, None, None]), Ok(0));
    assert_eq!(flags(None, [Some("05"), None, None, None]), Ok(5000));
    for text in
        ["-1", "nan", "NaN", "inf", "infinity", "1e999", "+5", ".5", "5.", "1_0", "", "five", " 5"]
    {
        let (code, message) = flags(None, [None, None, Some(text), None]).unwrap_err();
        assert_eq!(code, "duration_field_invalid", "{text}");
        assert_eq!(
            message,
            format!("hours must be a finite number that is not negative, and is {text}")
        );
    }
    let (_, message) = flags(None, [Some("x"), Some("y"), None, None]).unwrap_err();
    assert!(message.starts_with("seconds "), "{message}");
    let (code, _) = flags(Some("1h"), [Some("nan"), None, None, None]).unwrap_err();
    assert_eq!(code, "duration_conflict");
    let (code, _) = flags(None, [None; 4]).unwrap_err();
    assert_eq!(code, "duration_missing");
}

#[test]
fn the_limit_is_held_after_rounding() {
    let limited = |text: &str| parse::duration(text, DAY).map_err(|error| error.code());
    assert_eq!(limited("23h 59m 60s"), Ok(DAY));
    assert_eq!(limited("24h"), Ok(DAY));
    assert_eq!(fields(&json!({"days": 1}), DAY), Ok(86_400_000));
    assert_eq!(fields(&json!({"seconds": 86400.0004}), DAY), Ok(86_400_000));
    assert_eq!(fields(&json!({"seconds": 86400.001}), DAY), Err("past_limit"));
    assert_eq!(fields(&json!({"days": 2}), DAY), Err("past_limit"));
    assert_eq!(limited("1w"), Err("past_limit"));
    assert_eq!(limited("24h 499us"), Ok(DAY));
    assert_eq!(limited("24h 500us"), Err("past_limit"));
}

#[test]
fn what_does_not_fit_is_past_the_limit() {
    let far = [
        "999999999999999w",
        "999999999999999.5w",
        "999999999999999ms",
        "1000000000000000s",
        "0000000000000001s",
        "213503982334601d 7h 15s 1000ms",
        "213503982334601d 8h",
    ];
    all(&far, Err("past_limit"));
    all(&["999999999999999s"], Ok(999_999_999_999_999_000));
}

#[test]
fn a_number_needs_its_unit() {
    all(
        &["90", "1,5h", "1 0m", "1h30", "1.5", "00", "1,", "1-5m", "P5", "PT1,5H"],
        Err("duration_unit_missing"),
    );
}

#[test]
fn months_and_years_are_no_durations() {
    all(
        &[
            "1M", "1 month", "1y", "P1M", "P1Y", "P1Y2DT3H", "1 MONTHS", "2 Years", "1yr",
            "1h 5 M", "0M",
        ],
        Err("duration_unit_calendar"),
    );
}

#[test]
fn other_words_are_no_units() {
    all(
        &["1e3s", "3 fortnights", "1 nanos", "1hand 30m", "1 and 30m", "1 secondss", "P1X"],
        Err("duration_unit_unknown"),
    );
}

#[test]
fn units_go_from_large_to_small() {
    all(&["30m 1h", "1h 1h", "PT1S1H", "P1D1D", "1m 1m", "1s 1ms 1s"], Err("duration_order"));
}

#[test]
fn nothing_is_negative() {
    all(
        &["-5m", "1h -5m", "1h, -5m", "1h-5m", "1h and -5m", "-0", "-P1D", "P-1D", "- 5m"],
        Err("duration_negative"),
    );
}

#[test]
fn anything_else_cannot_be_read() {
    let words = [
        "+5m",
        ".5h",
        "1.h",
        "NaN",
        "inf",
        "1h ago",
        "and 1h",
        "1h,",
        "pt1h",
        "P",
        "\u{a0}",
        "1h\u{a0}30m",
        "5µs",
        ",1h",
        "1h and",
        "1h and30m,",
        "1h, , 30m",
        "1h and and 30m",
        "1h AND 30m",
        "1h and, 30m",
        "1h+5m",
        "1+5m",
        "1:30",
        "1.5.5h",
        "5%",
        "1_000s",
        "PT",
        "P1DT",
        "PT1H T1M",
        "P1WT1H",
        "P1W1D",
        "P1D1W",
        "P1H",
        "PT1D",
        "PT1.5H30M",
        "P1.5DT1H",
        "PT1h",
        "P1d",
        "PT1HT1M",
        "P 1D",
        "1h\u{0}",
        "١h",
    ];
    all(&words, Err("duration_unreadable"));
    all(&[&"1h ".repeat(34)], Err("duration_unreadable")); // 101 bytes once it is trimmed.
    all(&[&format!("{}1h{}", " ".repeat(500), "\n".repeat(500))], Ok(3_600_000));
    all(&["", " \t\r\n", "\n"], Err("duration_empty"));
}

#[test]
fn fractions_are_as_fine_as_their_unit_allows() {
    all(&["1.25h"], Ok(4_500_000));
    all(
        &[
            "1.333h",
            "0.00001d",
            "0.0000001w",
            "1.5ns",
            "0.0001us",
            "1.0000000001s",
            "0.33333333333m",
        ],
        Err("duration_too_precise"),
    );
    all(&["0.5ms"], Ok(1));
    all(&["1.4ms", "0.0014s", "1499us"], Ok(1));
    all(&["0.4ms", "100us", "0.0001s", "PT0.0001S", "1ns", "499999ns"], Err("duration_too_small"));
}

#[test]
fn an_earlier_check_goes_first_wherever_it_fails() {
    all(&["1 fortnight 5", "30m 1h 5", "1.333h 1M 5"], Err("duration_unit_missing"));
    all(&["1y 1h ago"], Err("duration_unreadable"));
    all(&["30m 1h 1M", "9999999999999999m 1h 1M"], Err("duration_unit_calendar"));
    all(&["9999999999999999m 1h", "1.333h 1h"], Err("duration_order"));
}
