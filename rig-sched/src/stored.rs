//! Parts of records that waits and messages have in common, as they are on disk.

use std::time::Duration;

use rig_core::call_key::CallKey;
use rig_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::parse::Time;

/// A call key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredKey {
    batch: String,
    call: String,
    index: u64,
}

impl StoredKey {
    pub(crate) fn of(key: &CallKey) -> Self {
        Self { batch: key.batch().to_owned(), call: key.call().to_owned(), index: key.index() }
    }

    pub(crate) fn key(self) -> Option<CallKey> {
        CallKey::new(self.batch, self.call, self.index).ok()
    }
}

/// A length in milliseconds, or an instant.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StoredTime {
    AfterMs(u64),
    At(Timestamp),
}

impl From<Time> for StoredTime {
    fn from(time: Time) -> Self {
        match time {
            Time::After(length) => Self::AfterMs(millis(length)),
            Time::At(at) => Self::At(at),
        }
    }
}

impl From<StoredTime> for Time {
    fn from(stored: StoredTime) -> Self {
        match stored {
            StoredTime::AfterMs(ms) => Self::After(Duration::from_millis(ms)),
            StoredTime::At(at) => Self::At(at),
        }
    }
}

/// Whole milliseconds.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
