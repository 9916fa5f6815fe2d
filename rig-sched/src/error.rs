use std::fmt;
use std::time::Duration;

use humantime::format_duration;
use rig_core::call_key::CallKey;
use rig_core::id::{ScheduleId, WaitId};
use rig_core::time::Timestamp;
use rig_core::{agent, store};

use crate::{MAX_WAIT, parse};

/// What the functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a wait or a scheduled message was refused. Nothing of a message's text is in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What is wrong with a duration or an instant, under its own code.
    #[error(transparent)]
    Parse(#[from] parse::Error),
    /// The wait would be due past the longest wait: `wait_too_long`.
    #[error("{asked} is longer than the longest wait, {}{}", format_duration(MAX_WAIT), Latest(*.latest))]
    WaitTooLong {
        /// What was asked for.
        asked: String,
        /// The latest instant that a wait may be due.
        latest: Option<Timestamp>,
    },
    /// The message would be due, or expire, past the horizon: `schedule_too_far`.
    #[error("{asked} is further ahead than the {} that a message may be scheduled{}", format_duration(crate::HORIZON), Latest(*.latest))]
    ScheduleTooFar {
        /// What was asked for.
        asked: String,
        /// The latest instant that a message may be due.
        latest: Option<Timestamp>,
    },
    /// The caller has as many waits as it may have: `too_many_waits`.
    #[error("{pending} waits are pending, and at most {limit} may be")]
    TooManyWaits {
        /// How many are pending.
        pending: u64,
        /// How many may be.
        limit: u64,
    },
    /// The sender has scheduled as many messages as it may: `too_many_scheduled`.
    #[error("{pending} scheduled messages are pending, and at most {limit} may be")]
    TooManyScheduled {
        /// How many are pending.
        pending: u64,
        /// How many may be.
        limit: u64,
    },
    /// A field has a value that it cannot have: `bad_request`.
    #[error("`{field}` {rule}")]
    BadRequest {
        /// The field.
        field: &'static str,
        /// What it must be.
        rule: &'static str,
    },
    /// The ID is that of another thing: `id_conflict`.
    #[error("{id} {}", Other(.differs.as_deref()))]
    IdConflict {
        /// The ID.
        id: String,
        /// What differs; none if the thing is another caller's.
        differs: Option<Box<Differs>>,
    },
    /// The key is that of another thing: `key_conflict`.
    #[error("the key {key} {}", Other(Some(.differs)))]
    KeyConflict {
        /// The key.
        key: CallKey,
        /// What differs.
        differs: Box<Differs>,
    },
    /// There is no such wait, or it is another agent's: `wait_not_found`.
    #[error("there is no wait {id}")]
    WaitNotFound {
        /// The ID.
        id: WaitId,
    },
    /// There is no such scheduled message, or it is another agent's: `schedule_not_found`.
    #[error("there is no scheduled message {id}")]
    ScheduleNotFound {
        /// The ID.
        id: ScheduleId,
    },
    /// The wait has ended otherwise: `wait_settled`.
    #[error("{id} ended as {state} at {at}")]
    WaitSettled {
        /// The wait.
        id: WaitId,
        /// As what it ended.
        state: &'static str,
        /// When it ended.
        at: Timestamp,
    },
    /// The message is past that: `schedule_settled`.
    #[error("{id} is {state} since {at}")]
    ScheduleSettled {
        /// The message.
        id: ScheduleId,
        /// Its state.
        state: &'static str,
        /// Since when.
        at: Timestamp,
    },
    /// Something about an agent, under its own code; `primary_only` for a subagent that schedules.
    #[error(transparent)]
    Agent(#[from] agent::Error),
    /// The store failed, under its own code. The same request with the same identity is safe.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// In what a request differs from what was stored under the same identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// The field.
    pub field: &'static str,
    /// What is stored; of a text, its length.
    pub stored: String,
    /// What was given.
    pub given: String,
}

impl Error {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Parse(error) => error.code(),
            Self::WaitTooLong { .. } => "wait_too_long",
            Self::ScheduleTooFar { .. } => "schedule_too_far",
            Self::TooManyWaits { .. } => "too_many_waits",
            Self::TooManyScheduled { .. } => "too_many_scheduled",
            Self::BadRequest { .. } => "bad_request",
            Self::IdConflict { .. } => "id_conflict",
            Self::KeyConflict { .. } => "key_conflict",
            Self::WaitNotFound { .. } => "wait_not_found",
            Self::ScheduleNotFound { .. } => "schedule_not_found",
            Self::WaitSettled { .. } => "wait_settled",
            Self::ScheduleSettled { .. } => "schedule_settled",
            Self::Agent(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    /// Why a wait was refused whose length could not be read at `now`.
    #[must_use]
    pub fn of_wait(error: parse::Error, now: Timestamp) -> Self {
        match error {
            parse::Error::PastLimit(past) => Self::wait_too_long(past.what(), now),
            other => other.into(),
        }
    }

    /// Why a message was refused whose time could not be read at `now`.
    #[must_use]
    pub fn of_schedule(error: parse::Error, now: Timestamp) -> Self {
        match error {
            parse::Error::PastLimit(past) => Self::schedule_too_far(past.what(), now),
            other => other.into(),
        }
    }

    pub(crate) fn wait_too_long(asked: String, now: Timestamp) -> Self {
        Self::WaitTooLong { asked, latest: now.checked_add(MAX_WAIT) }
    }

    pub(crate) fn schedule_too_far(asked: String, now: Timestamp) -> Self {
        Self::ScheduleTooFar { asked, latest: now.checked_add(crate::HORIZON) }
    }
}

/// The latest instant allowed, where the calendar has it.
struct Latest(Option<Timestamp>);

impl fmt::Display for Latest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |latest| write!(f, "; the latest instant is {latest}"))
    }
}

/// In what something differs, if that may be told.
struct Other<'a>(Option<&'a Differs>);

impl fmt::Display for Other<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("belongs to another caller"),
            Some(Differs { field, stored, given }) => {
                write!(f, "was used with another `{field}`: stored {stored}, given {given}")
            }
        }
    }
}

/// A duration for people to read.
pub(crate) fn shown(duration: Duration) -> String {
    format_duration(duration).to_string()
}
