use std::fmt::Write as _;

use chrono::format::{Fixed, Item, Parsed, StrftimeItems, parse};
use chrono::{
    DateTime, Datelike as _, NaiveDate, NaiveDateTime, NaiveTime, Timelike as _, Utc, Weekday,
};

use super::MAX_TEXT;
use super::buffer::Buffer;

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
    fn of(date: NaiveDate, time: NaiveTime, offset: Option<i32>) -> Self {
        Self { time: NaiveDateTime::new(date, time).and_utc(), offset, weekday: None }
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
        rfc_3339(text).or_else(|| iso_8601(text))
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
    let local = read.naive_local();
    Some(Reading::of(local.date(), local.time(), Some(read.offset().local_minus_utc())))
}

/// Reads the shapes of ISO 8601 that RFC 3339 has not, and what either has but for its offset: it is
/// missing, or more than RFC 3339 allows. chrono takes fields of any width, so the shape comes first.
fn iso_8601(text: &str) -> Option<Reading> {
    let (date, rest, separator) = match text.as_bytes().get(4)? {
        b'-' => (text.get(..10)?, text.get(11..)?, text.as_bytes()[10]),
        _ => (text.get(..8)?, text.get(9..)?, text.as_bytes()[8]),
    };
    let zone = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(zone);
    let (time, fraction) = time.split_once('.').map_or((time, None), |(t, f)| (t, Some(f)));
    let (date_format, time_format) = match (shape(date).as_str(), shape(time).as_str()) {
        ("0000-00-00", "00:00") => ("%Y-%m-%d", "%H:%M"),
        ("0000-00-00", "00:00:00") => ("%Y-%m-%d", "%H:%M:%S"),
        ("00000000", "0000") => ("%Y%m%d", "%H%M"),
        ("00000000", "000000") => ("%Y%m%d", "%H%M%S"),
        _ => return None,
    };
    let seconds = time_format == "%H:%M:%S";
    if let Some(fraction) = fraction {
        let digits = fraction.bytes().all(|byte| byte.is_ascii_digit());
        if !seconds || !digits || !(1..=9).contains(&fraction.len()) {
            return None;
        }
    }
    let zone_shape = shape(zone);
    let zone_shape = zone_shape.as_str();
    let small = matches!(separator, b't' | b' ') || zone_shape == "z";
    // Only RFC 3339 has these.
    if small && !(seconds && matches!(zone_shape, "" | "Z" | "z" | "+00:00" | "-00:00")) {
        return None;
    }
    if !matches!(separator, b'T' | b't' | b' ') {
        return None;
    }
    let offset = match zone_shape {
        "" => None,
        "Z" | "z" | "+00" | "-00" | "+0000" | "-0000" | "+00:00" | "-00:00" => {
            let mut parsed = Parsed::new();
            parse(&mut parsed, zone, StrftimeItems::new("%#z")).ok()?;
            Some(parsed.offset()?)
        }
        _ => return None,
    };
    let date = NaiveDate::parse_from_str(date, date_format).ok()?;
    let time = &rest[..time.len() + fraction.map_or(0, |fraction| fraction.len() + 1)];
    let time = match fraction {
        Some(_) => NaiveTime::parse_from_str(time, "%H:%M:%S%.f"),
        None => NaiveTime::parse_from_str(time, time_format),
    };
    Some(Reading::of(date, time.ok()?, offset))
}

/// The text with a 0 for each digit.
fn shape(text: &str) -> Buffer<MAX_TEXT> {
    let mut shape = Buffer::new();
    for character in text.chars() {
        // It always fits: the text is not longer.
        let _ = shape.write_char(if character.is_ascii_digit() { '0' } else { character });
    }
    shape
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
    let reading = Reading::of(date, parsed.to_naive_time().ok()?, parsed.offset());
    Some(Reading { weekday: parsed.weekday(), ..reading })
}
