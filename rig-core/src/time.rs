//! Instants in whole milliseconds, so that what is stored, compared and sorted is one thing.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant: milliseconds since the Unix epoch, UTC.
///
/// Its text form is RFC 3339 with `Z` and exactly three decimals. Read from a text with more of them
/// it is rounded up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// A text that is not an RFC 3339 instant with an offset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not an RFC 3339 instant such as 2026-08-01T18:30:00.000Z")]
pub struct BadTimestamp {
    /// The text as it was given, cut at 80 characters.
    pub given: String,
}

impl Timestamp {
    /// The instant so many milliseconds after the Unix epoch, if the calendar of RFC 3339 (years
    /// 0 to 9999) has it.
    #[must_use]
    pub fn from_millis(ms: i64) -> Option<Self> {
        const FIRST: i64 = -62_167_219_200_000; // 0000-01-01T00:00:00.000Z
        const LAST: i64 = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z
        (FIRST..=LAST).contains(&ms).then_some(Self(ms))
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// This instant and `duration`, cut down to whole milliseconds, later; none if it does not fit.
    #[must_use]
    pub fn checked_add(self, duration: Duration) -> Option<Self> {
        let ms = i64::try_from(duration.as_millis()).ok()?;
        Self::from_millis(self.0.checked_add(ms)?)
    }

    /// The time from `earlier` to this instant; zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Every value has a date: `from_millis` is the only way in.
        let date = DateTime::<Utc>::from_timestamp_millis(self.0).unwrap_or_default();
        f.pad(&date.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromStr for Timestamp {
    type Err = BadTimestamp;

    fn from_str(text: &str) -> Result<Self, BadTimestamp> {
        DateTime::parse_from_rfc3339(text)
            .ok()
            .and_then(|date| {
                // Rounded up, so that nothing that is due then happens a fraction early.
                let past = !date.timestamp_subsec_nanos().is_multiple_of(1_000_000);
                Self::from_millis(date.timestamp_millis() + i64::from(past))
            })
            .ok_or_else(|| BadTimestamp { given: text.chars().take(80).collect() })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
