use std::time::Duration;

use super::decimal::{Decimal, ExactSum};
use super::error::{Error, Result};
use super::past_limit::PastLimit;
use super::trim::shown;

/// The number fields of a duration with the milliseconds in one of each.
const FIELDS: [(&str, u32); 4] =
    [("seconds", 1000), ("minutes", 60_000), ("hours", 3_600_000), ("days", 86_400_000)];

/// The number that a command line gives for a field.
pub(super) fn number(field: usize, text: &str) -> Result<f64> {
    let number = text.parse::<f64>().unwrap_or(f64::NAN);
    // A number begins and ends with a digit, here as elsewhere.
    let bytes = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let plain = [bytes.first(), bytes.last()].into_iter().flatten().all(u8::is_ascii_digit);
    if plain && number.is_finite() && number >= 0.0 {
        return Ok(number);
    }
    Err(Error::DurationFieldInvalid { field: FIELDS[field].0, given: shown(text) })
}

/// The sum of the fields that were given, rounded to whole milliseconds; `limit` is for the error.
pub(super) fn sum(values: [Option<f64>; 4], limit: Duration) -> Result<Duration> {
    for (value, (field, _)) in values.into_iter().zip(FIELDS) {
        if let Some(value) = value
            && !(value.is_finite() && value >= 0.0)
        {
            return Err(Error::DurationFieldInvalid { field, given: value.to_string() });
        }
    }
    let mut sum = ExactSum::default();
    let milliseconds = values
        .into_iter()
        .zip(FIELDS)
        .filter_map(|(value, (_, factor))| Some((value?, factor)))
        .try_for_each(|(value, factor)| sum.add(Decimal::of(value.abs()), factor))
        .and_then(|()| sum.rounded());
    if milliseconds == Some(0) && sum.is_positive() {
        return Err(Error::DurationTooSmall { given: asked(values), byte: None });
    }
    milliseconds
        .and_then(|all| Some((u64::try_from(all / 1000).ok()?, u64::try_from(all % 1000).ok()?)))
        .map(|(seconds, rest)| Duration::from_secs(seconds) + Duration::from_millis(rest))
        .filter(|sum| *sum <= limit)
        .ok_or_else(|| PastLimit { asked: asked(values), limit, readings: None }.into())
}

/// The fields that were given as errors name them, such as `hours 20, days 1`.
fn asked(values: [Option<f64>; 4]) -> String {
    let given = values.into_iter().zip(FIELDS);
    let given = given.filter_map(|(value, (field, _))| Some(format!("{field} {}", value?)));
    given.collect::<Vec<_>>().join(", ")
}

/// Refuses fields beside a text, since only one of them can be meant.
pub(super) fn refuse_with_text(text: &str, given: [bool; 4]) -> Result<()> {
    let given =
        given.into_iter().zip(FIELDS).filter_map(|(given, (name, _))| given.then_some(name));
    match given.collect::<Vec<_>>() {
        fields if fields.is_empty() => Ok(()),
        fields => Err(Error::DurationConflict { text: shown(text), fields: fields.join(", ") }),
    }
}
