use std::fmt;
use std::time::Duration;

use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::{AgentId, MessageId, ScheduleId};
use rig_core::mail::Body;
use rig_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::parse::Time;

/// What a message is scheduled with.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// Its ID; one is made up if there is none.
    pub id: Option<ScheduleId>,
    /// How its sender names the call.
    pub key: Option<CallKey>,
    /// Whom it is for. It need not exist yet.
    pub target: AgentId,
    /// The text.
    pub body: Body,
    /// When it is due.
    pub time: Time,
    /// How long after that it may still be delivered; for ever if there is none.
    pub expires_after: Option<Duration>,
    /// The request as it was given, which is kept beside it.
    pub requested: Value,
}

impl NewMessage {
    /// A message of which nothing else is said.
    #[must_use]
    pub fn new(target: AgentId, body: Body, time: Time) -> Self {
        let (id, key, expires_after, requested) = (None, None, None, Value::Null);
        Self { id, key, target, body, time, expires_after, requested }
    }
}

/// Where a scheduled message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is not due yet, or is tried again.
    Pending,
    /// It is in the mailbox: final.
    Delivered,
    /// It could not be delivered, and stays until it is retried or cancelled.
    Undelivered,
    /// It was past its time when it could have been delivered: final.
    Expired,
    /// Its sender or the person took it back: final.
    Cancelled,
}

impl Status {
    /// The name in replies and events.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Undelivered => "undelivered",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it is final.
    #[must_use]
    pub fn is_settled(self) -> bool {
        !matches!(self, Self::Pending | Self::Undelivered)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why the last attempt at a delivery failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The stable name of the error.
    pub code: String,
    /// What it says.
    pub message: String,
}

/// A scheduled message, as it is listed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    /// Its ID.
    pub id: ScheduleId,
    /// Who scheduled it, and whom it comes from.
    pub sender: Caller,
    /// Whom it is for.
    pub target_agent_id: AgentId,
    /// The text.
    pub message: Body,
    /// When it is due.
    pub due_at: Timestamp,
    /// Where it is.
    pub status: Status,
    /// When it was scheduled.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was delivered.
    pub delivered_at: Option<Timestamp>,
    /// Why the last attempt failed.
    pub failure: Option<Failure>,
    /// How often it was tried since it was scheduled or retried.
    pub attempts: u32,
    /// When it is tried again.
    pub next_attempt_at: Option<Timestamp>,
    /// After when it is no longer delivered.
    pub expires_at: Option<Timestamp>,
    /// The request as it was given.
    pub requested: Value,
    /// How its sender named the call.
    #[serde(skip)]
    pub key: Option<CallKey>,
    /// The delay or the instant, as it was given.
    #[serde(skip)]
    pub time: Time,
    /// How long after it is due it may be delivered.
    #[serde(skip)]
    pub expires_after: Option<Duration>,
    /// When it was first tried since it was scheduled or retried.
    #[serde(skip)]
    pub first_attempt_at: Option<Timestamp>,
}

/// The reply to whoever schedules a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Its ID.
    pub id: ScheduleId,
    /// When it is due.
    pub due_at: Timestamp,
    /// Where it is by now.
    pub status: Status,
    /// Whom it is for.
    pub target_agent_id: AgentId,
}

impl Message {
    /// The reply to whoever schedules it.
    #[must_use]
    pub fn reply(&self) -> Reply {
        let (id, due_at, status) = (self.id, self.due_at, self.status);
        Reply { id, due_at, status, target_agent_id: self.target_agent_id }
    }

    /// The ID it has in the mailbox, on every attempt.
    #[must_use]
    pub fn message_id(&self) -> MessageId {
        MessageId::from_bits(self.id.bits())
    }

    /// When it is tried next; none unless it is pending.
    pub(super) fn armed_at(&self) -> Option<Timestamp> {
        let at = self.next_attempt_at.unwrap_or(self.due_at);
        (self.status == Status::Pending).then_some(at)
    }
}
