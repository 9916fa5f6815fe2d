use std::time::Duration;

use rig_core::time::Timestamp;

use super::error::{Error, Result};
use super::input::TimeInput;
use super::{duration, instant};

/// When something is due: after a delay, or at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// So long from now.
    After(Duration),
    /// At this instant.
    At(Timestamp),
}

/// The delay or the instant that `input` gives, exactly one of which it must have.
///
/// # Errors
///
/// [`Error::TimeConflict`] and [`Error::TimeMissing`] if it has both or neither, and what
/// [`duration`](super::duration()) and [`instant`](super::instant()) refuse.
pub fn time(input: &TimeInput<'_>, now: Timestamp, limit: Duration) -> Result<Time> {
    match &input.at {
        Some(_) if !input.delay.is_missing() => Err(Error::TimeConflict),
        Some(at) => instant(at, now, limit).map(Time::At),
        None if input.delay.is_missing() => Err(Error::TimeMissing),
        None => duration(&input.delay, limit).map(Time::After),
    }
}
