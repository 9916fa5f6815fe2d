use std::time::Duration;

use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::clock::{Boot, Now};
use rig_core::id::WaitId;
use rig_core::time::Timestamp;
use serde_json::Value;

use super::outcome::{Ended, Outcome, Reason, Waiting, WaitingStatus};
use super::seconds::Seconds;
use crate::parse::Time;

/// What a wait is started with.
#[derive(Clone, Debug)]
pub struct NewWait {
    /// Its ID; one is made up if there is none.
    pub id: Option<WaitId>,
    /// How its caller names the call.
    pub key: Option<CallKey>,
    /// Until when.
    pub time: Time,
    /// The request as it was given, which is kept beside it.
    pub requested: Value,
    /// The last number in its mailbox that the agent has read.
    pub seen: Option<u64>,
}

impl NewWait {
    /// A wait of this length or until this instant, of which nothing else is said.
    #[must_use]
    pub fn new(time: Time) -> Self {
        Self { id: None, key: None, time, requested: Value::Null, seen: None }
    }
}

/// A wait.
#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    /// Its ID.
    pub id: WaitId,
    /// Whose it is.
    pub caller: Caller,
    /// How its caller named the call.
    pub key: Option<CallKey>,
    /// Its length or its end, as it was given.
    pub time: Time,
    /// The request as it was given.
    pub requested: Value,
    /// When it started.
    pub started_at: Timestamp,
    /// The same, since the machine was started.
    pub started_boot: Option<Boot>,
    /// When it is due, as it was known when it started.
    pub due_at: Timestamp,
    /// How it ended; none while it is pending.
    pub ended: Option<Ended>,
}

impl Wait {
    /// The result, once it has ended.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.ended.map(|ended| Outcome {
            started_at: self.started_at,
            due_at: self.due_at,
            ended_at: ended.at,
            elapsed_seconds: ended.elapsed,
            interrupted: ended.reason != Reason::Elapsed,
            reason: ended.reason,
            wait_id: self.id,
        })
    }

    /// What is answered while it goes on.
    #[must_use]
    pub fn waiting(&self, now: Now) -> Waiting {
        Waiting {
            wait_id: self.id,
            status: WaitingStatus::Waiting,
            started_at: self.started_at,
            due_at: self.due_at,
            elapsed_seconds: self.elapsed(now, now.wall),
        }
    }

    /// How it ends `now`.
    pub(super) fn end(&self, now: Now, reason: Reason) -> Ended {
        let mut at = now.wall.max(self.started_at);
        if reason == Reason::Elapsed {
            at = at.max(self.due_at);
        }
        Ended { at, elapsed: self.elapsed(now, at), reason }
    }

    /// The time since it started: of one and the same start of the machine its own clock tells.
    fn elapsed(&self, now: Now, until: Timestamp) -> Seconds {
        let measured = now.boot.zip(self.started_boot).and_then(|(now, then)| now.since(then));
        Seconds(measured.unwrap_or_else(|| until.since(self.started_at)))
    }

    /// How late it ends `now`, by the clock that it follows.
    pub(super) fn late(&self, now: Now, ended: &Ended) -> Duration {
        match self.time {
            _ if ended.reason != Reason::Elapsed => Duration::ZERO,
            Time::After(length) => ended.elapsed.0.saturating_sub(length),
            Time::At(_) => now.wall.since(self.due_at),
        }
    }
}
