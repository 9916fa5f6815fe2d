use std::fmt::Write as _;
use std::time::Duration;

use rig_core::time::Timestamp;
use serde_json::Number;

use super::MAX_TEXT;
use super::buffer::Buffer;
use super::calendar::{self, Reading};
use super::error::{Error, Result};
use super::input::InstantInput;
use super::past_limit::PastLimit;
use super::trim::{shown, trimmed};
use super::unix::{self, Window};

/// The furthest that an offset may be from UTC, either way, in seconds.
const MAX_OFFSET: i32 = 18 * 60 * 60;

/// The instant that `input` gives, rounded up to whole milliseconds.
///
/// A Unix number must be in the window from 1971 to `limit` after `now`, which tells seconds from
/// milliseconds. Any other instant is only read: its caller compares it with the limit, once it knows
/// that the request is no repetition of an earlier one.
///
/// # Errors
///
/// What the text breaks, by the code of the [`Error`]; [`Error::PastLimit`] for a Unix number that
/// is past the window, and for what is beyond the year 9999.
pub fn instant<'a>(
    input: impl Into<InstantInput<'a>>,
    now: Timestamp,
    limit: Duration,
) -> Result<Timestamp> {
    match input.into() {
        InstantInput::Text(text) => of_text(&text, Window { now, limit }),
        InstantInput::Number(number) => {
            let text = decimal(&number)
                .ok_or_else(|| Error::InstantUnreadable { given: number.to_string() })?;
            of_text(text.as_str(), Window { now, limit })
        }
    }
}

/// The shortest decimal text of a number, without an exponent; none if it is longer than any instant.
fn decimal(number: &Number) -> Option<Buffer<MAX_TEXT>> {
    let mut text = Buffer::new();
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(number) => write!(text, "{number}"),
        None => write!(text, "{number}"),
    }
    .ok()?;
    Some(text)
}

fn of_text(given: &str, window: Window) -> Result<Timestamp> {
    let text = &given[trimmed(given)];
    if text.is_empty() {
        return Err(Error::InstantEmpty { given: shown(given) });
    }
    let unreadable = || Error::InstantUnreadable { given: shown(given) };
    let printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !printable || text.len() > MAX_TEXT {
        return Err(unreadable());
    }
    if let Some(number) = unix::number(text) {
        return number.in_window(text, window);
    }
    let reading = calendar::read(text).ok_or_else(unreadable)?;
    let offset = checked(&reading, given)?;
    let nanoseconds = i64::from(reading.time.timestamp_subsec_nanos());
    let seconds = reading.time.timestamp() - i64::from(offset);
    let milliseconds = seconds * 1000 + (nanoseconds + 999_999) / 1_000_000;
    Timestamp::from_millis(milliseconds).ok_or_else(|| match milliseconds {
        ..0 => unreadable(),
        _ => PastLimit { asked: shown(text), limit: window.limit, readings: None }.into(),
    })
}

/// The offset of what was read, if nothing speaks against it.
fn checked(reading: &Reading, given: &str) -> Result<i32> {
    let given = || shown(given);
    if reading.is_leap_second() {
        return Err(Error::InstantLeapSecond { given: given() });
    }
    if reading.offset.is_some_and(|offset| offset.abs() > MAX_OFFSET) {
        return Err(Error::InstantOffset { given: given() });
    }
    let Some(offset) = reading.offset else {
        return Err(Error::InstantNoOffset { given: given() });
    };
    match reading.wrong_weekday() {
        Some(right) => Err(Error::InstantWeekday { given: given(), right: right.to_string() }),
        None => Ok(offset),
    }
}
