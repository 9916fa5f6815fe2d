use std::fmt::Write as _;

use chrono::format::{Fixed, Item, Parsed, parse};
use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, Timelike as _, Utc, Weekday};

use super::buffer::Buffer;
use super::{MAX_TEXT, iso_8601};

/// What a text says of an instant, before it is known whether that can be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// The date and the time of day, as if they were UTC.
    pub(super) time: DateTime<Utc>,
    /// Seconds east of UTC.
    pub(super) offset: Option<i32>,
    pub(super) weekday: Option<Weekday>,
}

impl Reading {
    pub(super) fn of(local: NaiveDateTime, offset: Option<i32>) -> Self {
        Self { time: local.and_utc(), offset, weekday: None }
    }

    /// chrono keeps second 60 as a fraction of one second or more.
    pub(super) fn is_leap_second(&self) -> bool {
        self.time.nanosecond() >= 1_000_000_000
    }

    /// The weekday of the date if the text has another one.
    pub(super) fn wrong_weekday(&self) -> Option<Weekday> {
        let right = self.time.weekday();
        self.weekday.is_some_and(|weekday| weekday != right).then_some(right)
    }
}

/// Reads RFC 3339 or ISO 8601 if the text begins with four digits, else RFC 2822. The text is short
/// and printable ASCII.
pub(super) fn read(text: &str) -> Option<Reading> {
    let year = text.as_bytes().get(..4);
    if year.is_some_and(|year| year.iter().all(u8::is_ascii_digit)) {
        rfc_3339(text).or_else(|| iso_8601::read(text))
    } else {
        rfc_2822(text)
    }
}

fn rfc_3339(text: &str) -> Option<Reading> {
    let read = DateTime::parse_from_rfc3339(text).ok()?;
    // chrono drops the digits that it does not hold.
    let fraction = text[19..].strip_prefix('.').unwrap_or_default().bytes();
    if fraction.take_while(u8::is_ascii_digit).count() > 9 {
        return None;
    }
    Some(Reading::of(read.naive_local(), Some(read.offset().local_minus_utc())))
}

fn rfc_2822(text: &str) -> Option<Reading> {
    // What chrono reads as comments can only stand at the end.
    let (date, comment) = text.split_at(text.find('(').unwrap_or(text.len()));
    if let Some(reading) = chrono_2822(text) {
        let zone = date.trim_end().rsplit(' ').next()?;
        // The letters of the military zones were used with either sign: nobody knows which is meant.
        let military = zone.len() == 1 && !zone.eq_ignore_ascii_case("z");
        return (!military).then_some(reading);
    }
    let mut with_zone = Buffer::<{ MAX_TEXT + 10 }>::new();
    write!(with_zone, "{} +0000 {comment}", date.trim_end()).ok()?;
    let reading = chrono_2822(with_zone.as_str().trim_end())?;
    Some(Reading { offset: None, ..reading })
}

fn chrono_2822(text: &str) -> Option<Reading> {
    let mut parsed = Parsed::new();
    parse(&mut parsed, text, [Item::Fixed(Fixed::RFC2822)].iter()).ok()?;
    let date = NaiveDate::from_ymd_opt(parsed.year()?, parsed.month()?, parsed.day()?)?;
    let reading = Reading::of(date.and_time(parsed.to_naive_time().ok()?), parsed.offset());
    Some(Reading { weekday: parsed.weekday(), ..reading })
}
