use std::fmt;
use std::time::Duration;

use rig_core::time::Timestamp;

/// What was asked for is past the limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is past the limit of {}", self.what(), humantime::format_duration(*.limit))]
pub struct PastLimit {
    /// The text, or the fields with their values.
    pub asked: String,
    /// The longest time from now.
    pub limit: Duration,
    /// For a Unix number, what it could mean.
    pub readings: Option<Readings>,
}

impl PastLimit {
    /// What was asked for, with the readings of a Unix number.
    #[must_use]
    pub fn what(&self) -> String {
        match &self.readings {
            Some(readings) => format!("{} ({readings})", self.asked),
            None => self.asked.clone(),
        }
    }
}

/// The two instants that a Unix number can mean, each none if it is past the year 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readings {
    /// The number as seconds.
    pub as_seconds: Option<Timestamp>,
    /// The number as milliseconds.
    pub as_milliseconds: Option<Timestamp>,
}

impl fmt::Display for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, milliseconds) = (Date(self.as_seconds), Date(self.as_milliseconds));
        write!(f, "{seconds} as seconds or {milliseconds} as milliseconds")
    }
}

/// An instant, or none if it is past the year 9999.
pub(super) struct Date(pub(super) Option<Timestamp>);

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(date) => date.fmt(f),
            None => f.write_str("a date past the year 9999"),
        }
    }
}
