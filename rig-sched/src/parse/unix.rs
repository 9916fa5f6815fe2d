use std::time::Duration;

use rig_core::time::Timestamp;

use super::error::{Error, Result};
use super::past_limit::{PastLimit, Readings};
use super::trim::shown;

/// The first instant that a Unix number can mean: 1971-01-01T00:00:00Z, in milliseconds.
const FIRST: i64 = 31_536_000_000;

/// The instants that a Unix number can mean: from 1971 to `limit` after `now`, both inclusive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) now: Timestamp,
    pub(super) limit: Duration,
}

impl Window {
    /// The last instant, or the last there is.
    fn last(self) -> Option<Timestamp> {
        self.now.checked_add(self.limit)
    }

    fn holds(self, milliseconds: i128) -> bool {
        milliseconds >= FIRST.into() && !self.is_past(milliseconds)
    }

    fn is_past(self, milliseconds: i128) -> bool {
        match self.last() {
            Some(last) => milliseconds > last.as_millis().into(),
            None => date(milliseconds).is_none(),
        }
    }
}

/// A Unix number in its two readings, each in milliseconds since the epoch and rounded up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unix {
    of_seconds: i128,
    of_milliseconds: i128,
}

/// Stands for all numbers of more than 25 digits, which are past every window.
const BEYOND: i128 = 10_i128.pow(25);

/// Reads digits, optionally with a point and 1 to 9 digits; none if the text is something else.
pub(super) fn number(text: &str) -> Option<Unix> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) if (1..=9).contains(&fraction.len()) => (whole, fraction),
        Some(_) => return None,
        None => (text, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let value = |text: &str| text.bytes().fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0'));
    let whole = match whole.trim_start_matches('0') {
        whole if whole.len() > 25 => BEYOND,
        whole => value(whole),
    };
    let missing = 9 - u32::try_from(fraction.len()).ok()?;
    let nanos = whole * 1_000_000_000 + value(fraction) * 10_i128.pow(missing);
    let up = |unit: i128| (nanos + unit - 1) / unit;
    Some(Unix { of_seconds: up(1_000_000), of_milliseconds: up(1_000_000_000) })
}

impl Unix {
    /// The reading inside the window, of two the one nearer to now.
    pub(super) fn in_window(self, given: &str, window: Window) -> Result<Timestamp> {
        let now = i128::from(window.now.as_millis());
        let away = |reading: i128| (reading - now).unsigned_abs();
        let (nearer, other) = if away(self.of_seconds) <= away(self.of_milliseconds) {
            (self.of_seconds, self.of_milliseconds)
        } else {
            (self.of_milliseconds, self.of_seconds)
        };
        let meant = [nearer, other].into_iter().find(|reading| window.holds(*reading));
        meant.and_then(date).ok_or_else(|| {
            let readings = Readings {
                as_seconds: date(self.of_seconds),
                as_milliseconds: date(self.of_milliseconds),
            };
            let given = shown(given);
            if window.is_past(nearer) {
                let (limit, readings) = (window.limit, Some(readings));
                PastLimit { asked: given, limit, readings }.into()
            } else {
                Error::InstantOutOfWindow { given, readings, last: window.last() }
            }
        })
    }
}

fn date(milliseconds: i128) -> Option<Timestamp> {
    Timestamp::from_millis(i64::try_from(milliseconds).ok()?)
}
