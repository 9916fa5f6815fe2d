use std::time::Duration;

use super::error::{Error, Result};
use super::input::DurationInput;
use super::reader::{Fault, Kind, Reader};
use super::trim::{shown, trimmed};
use super::{MAX_TEXT, fields, iso_duration, terms};

/// The duration that `input` gives in whole milliseconds, rounded half up.
///
/// An operation that looks up an identity before it checks its limit passes [`Duration::MAX`] and
/// compares by itself.
///
/// # Errors
///
/// What the text or the fields break, by the code of the [`Error`]; [`Error::PastLimit`] for more
/// than `limit`.
pub fn duration<'a>(input: impl Into<DurationInput<'a>>, limit: Duration) -> Result<Duration> {
    let input = input.into();
    let numbers = input.numbers();
    let given = numbers.map(|number| number.is_some());
    match &input.duration {
        Some(text) => {
            fields::refuse_with_text(text, given)?;
            of_text(text, limit)
        }
        None if given.contains(&true) => fields::sum(numbers, limit),
        None => Err(Error::DurationMissing),
    }
}

fn of_text(text: &str, limit: Duration) -> Result<Duration> {
    let meant = trimmed(text);
    if meant.is_empty() {
        return Err(Error::DurationEmpty { given: shown(text) });
    }
    let refused = |fault| Error::of_duration(text, limit, fault);
    let exact = read(&text[..meant.end], meant.start).map_err(refused)?;
    let milliseconds = exact.subsec_nanos().saturating_add(500_000) / 1_000_000;
    let rounded = Duration::from_secs(exact.as_secs())
        .checked_add(Duration::from_millis(milliseconds.into()))
        .filter(|rounded| *rounded <= limit)
        .ok_or_else(|| refused(Fault { kind: Kind::PastLimit, part: meant.clone() }))?;
    if rounded.is_zero() && !exact.is_zero() {
        return Err(Error::DurationTooSmall {
            given: shown(&text[meant.clone()]),
            byte: Some(meant.start),
        });
    }
    Ok(rounded)
}

/// Reads the text from byte `start` to its end, to the nanosecond.
fn read(text: &str, start: usize) -> Result<Duration, Fault> {
    let mut reader = Reader { text, at: start };
    let meant = &text[start..];
    if !meant.is_ascii() {
        reader.at += meant.bytes().take_while(u8::is_ascii).count();
        return Err(reader.unreadable("an ASCII character"));
    }
    if meant.len() > MAX_TEXT {
        reader.at += MAX_TEXT;
        return Err(reader.unreadable("the end after 100 bytes"));
    }
    if meant == "0" {
        return Ok(Duration::ZERO);
    }
    if reader.take(b'P') { iso_duration::read(&mut reader) } else { terms::read(&mut reader) }
}
