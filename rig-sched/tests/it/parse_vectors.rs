//! The values that the standards themselves give as examples.

use std::time::Duration;

use rig_core::time::Timestamp;
use rig_sched::parse;

fn instant(text: &str) -> Result<i64, &'static str> {
    let now = Timestamp::from_millis(1_785_542_400_000).expect("a date");
    parse::instant(text, now, Duration::MAX).map(Timestamp::as_millis).map_err(|error| error.code())
}

fn duration(text: &str) -> Result<u128, &'static str> {
    parse::duration(text, Duration::MAX).map(|it| it.as_millis()).map_err(|error| error.code())
}

#[test]
fn the_examples_of_rfc_3339() {
    for (text, expected) in [
        ("1985-04-12T23:20:50.52Z", Ok(482_196_050_520)),
        ("1996-12-19T16:39:57-08:00", Ok(851_042_397_000)),
        ("1996-12-20T00:39:57Z", Ok(851_042_397_000)),
        ("1990-12-31T23:59:60Z", Err("instant_leap_second")),
        ("1990-12-31T15:59:60-08:00", Err("instant_leap_second")),
        ("1937-01-01T12:00:27.87+00:20", Ok(-1_041_337_172_130)),
    ] {
        assert_eq!(instant(text), expected, "{text}");
    }
}

#[test]
fn the_examples_of_rfc_2822() {
    for (text, expected) in [
        ("Fri, 21 Nov 1997 09:55:06 -0600", Ok(880_127_706_000)),
        ("Tue, 1 Jul 2003 10:52:37 +0200", Ok(1_057_049_557_000)),
        ("Thu, 13 Feb 1969 23:32:54 -0330", Ok(-27_723_426_000)),
        ("Mon, 24 Nov 1997 14:22:01 -0800", Ok(880_410_121_000)),
        ("Fri, 21 Nov 1997 10:01:10 -0600", Ok(880_128_070_000)),
        ("Fri, 21 Nov 1997 11:00:00 -0600", Ok(880_131_600_000)),
        // An obsolete year of two digits.
        ("21 Nov 97 09:55:06 GMT", Ok(880_106_106_000)),
        // White space may be folded in a header, which is undone before its date is read.
        ("Thu, 13 Feb 1969 23:32 -0330 (Newfoundland Time)", Ok(-27_723_480_000)),
        (
            "Thu,\r\n      13\r\n        Feb\r\n          1969 23:32 -0330",
            Err("instant_unreadable"),
        ),
        // Comments and blanks within the time are obsolete.
        ("Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", Err("instant_unreadable")),
        ("Fri, 21 Nov 1997 09:   55  :  06 -0600", Err("instant_unreadable")),
    ] {
        assert_eq!(instant(text), expected, "{text}");
    }
}

#[test]
fn the_instants_of_iso_8601() {
    for (text, expected) in [
        ("1985-04-12T10:15:30+04", Ok(482_134_530_000)),
        ("1985-04-12T10:15:30+04:00", Ok(482_134_530_000)),
        ("19850412T101530+0400", Ok(482_134_530_000)),
        ("19850412T101530Z", Ok(482_148_930_000)),
        ("19850412T1015Z", Ok(482_148_900_000)),
        ("1985-04-12T10:15Z", Ok(482_148_900_000)),
        ("19850412T101530", Err("instant_no_offset")),
        ("1985-102T23:50:30Z", Err("instant_unreadable")),
        ("1985-W15-5T23:50:30Z", Err("instant_unreadable")),
        ("1985-04-12T24:00Z", Err("instant_unreadable")),
    ] {
        assert_eq!(instant(text), expected, "{text}");
    }
}

#[test]
fn the_durations_of_iso_8601_and_of_calendars() {
    for (text, expected) in [
        ("P3Y6M4DT12H30M5S", Err("duration_unit_calendar")),
        ("P2Y10M15DT10H30M20S", Err("duration_unit_calendar")),
        ("P23DT23H", Ok(2_070_000_000)),
        ("PT36H", Ok(129_600_000)),
        ("P1DT12H", Ok(129_600_000)),
        ("P6W", Ok(3_628_800_000)),
        ("P15DT5H0M20S", Ok(1_314_020_000)),
        ("P7W", Ok(4_233_600_000)),
        ("PT72H", Ok(259_200_000)),
        ("PT0.5H", Ok(1_800_000)),
        ("P0D", Ok(0)),
        // With a comma, or as a date and a time: other shapes than those read.
        ("P0,5D", Err("duration_unit_missing")),
        ("P0003-06-04T12:30:05", Err("duration_unit_missing")),
    ] {
        assert_eq!(duration(text), expected, "{text}");
    }
}
