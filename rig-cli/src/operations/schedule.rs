use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::{AgentId, ScheduleId};
use rig_core::time::Timestamp;
use rig_sched::messages::{self, Status};
use rig_sched::parse::{DurationInput, InstantInput, TimeInput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema::{CallKeySchema, InstantSchema};

/// Schedules a message to an agent: it arrives like any other once it is due, even if its sender has
/// stopped by then. Either `at` or a delay, by `duration` or any of the numbers, says when, 366 days
/// ahead at most.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleMessage {
    /// Whom it is for. It need not exist yet.
    pub agent_id: String,
    /// The text.
    pub message: String,
    /// The instant: RFC 3339, ISO 8601 with an offset, RFC 2822, or Unix seconds or milliseconds.
    #[serde(default)]
    #[schemars(with = "Option<InstantSchema>")]
    pub at: Option<InstantInput<'static>>,
    /// How long from now, such as `1h 30m` or `PT90M`.
    #[serde(default)]
    pub duration: Option<String>,
    /// Seconds from now, which are added to the other numbers.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// Minutes from now.
    #[serde(default)]
    pub minutes: Option<f64>,
    /// Hours from now.
    #[serde(default)]
    pub hours: Option<f64>,
    /// Days from now.
    #[serde(default)]
    pub days: Option<f64>,
    /// How long after it is due it may still be delivered, such as `1h`; for ever without it.
    #[serde(default)]
    pub expires_after: Option<String>,
    /// Its ID, made by the caller so that a repeated request schedules nothing twice.
    #[serde(default)]
    pub id: Option<String>,
    /// How the caller names the call: the same call again meets the same message.
    #[serde(default)]
    #[schemars(with = "Option<CallKeySchema>")]
    pub key: Option<CallKey>,
}

impl ScheduleMessage {
    /// The time as it was given.
    #[must_use]
    pub fn time(&self) -> TimeInput<'_> {
        let delay = DurationInput {
            duration: self.duration.as_deref().map(Into::into),
            seconds: self.seconds,
            minutes: self.minutes,
            hours: self.hours,
            days: self.days,
        };
        TimeInput { delay, at: self.at.as_ref().map(Into::into) }
    }
}

/// Lists the messages that the caller scheduled, for the person everybody's, oldest first: those
/// that are pending or undelivered.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListScheduled {
    /// Whether settled ones are listed too.
    #[serde(default)]
    pub all: bool,
    /// The `next` of the page before.
    #[serde(default)]
    pub after: Option<String>,
}

/// Shows a scheduled message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowScheduled {
    /// The message.
    pub id: String,
}

/// Cancels a scheduled message. One that is settled stays as it is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelScheduled {
    /// The message.
    pub id: String,
}

/// Makes an undelivered message due now.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryScheduled {
    /// The message.
    pub id: String,
}

/// A message that was scheduled, or was before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scheduled {
    /// Its ID.
    #[schemars(with = "String")]
    pub id: ScheduleId,
    /// When it is due.
    #[schemars(with = "String")]
    pub due_at: Timestamp,
    /// Where it is: `pending`, `delivered`, `undelivered`, `expired` or `cancelled`.
    #[schemars(with = "String")]
    pub status: Status,
    /// Whom it is for.
    #[schemars(with = "String")]
    pub target_agent_id: AgentId,
}

/// What came of cancelling a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelledScheduled {
    /// Its ID.
    #[schemars(with = "String")]
    pub id: ScheduleId,
    /// Whether it is cancelled, now or since before.
    pub cancelled: bool,
    /// Where it is.
    #[schemars(with = "String")]
    pub status: Status,
}

/// Scheduled messages, oldest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScheduledList {
    /// The messages.
    pub items: Vec<ScheduledItem>,
    /// Where the journal was: whoever follows from there sees what changed since.
    pub cursor: String,
    /// What names the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A scheduled message.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScheduledItem {
    /// Its ID.
    #[schemars(with = "String")]
    pub id: ScheduleId,
    /// Who scheduled it: `person`, or an agent's ID.
    #[schemars(with = "String")]
    pub sender: Caller,
    /// Whom it is for.
    #[schemars(with = "String")]
    pub target_agent_id: AgentId,
    /// The text.
    pub message: String,
    /// When it is due.
    #[schemars(with = "String")]
    pub due_at: Timestamp,
    /// Where it is.
    #[schemars(with = "String")]
    pub status: Status,
    /// When it was scheduled.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When it last changed.
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
    /// When it was delivered.
    #[schemars(with = "Option<String>")]
    pub delivered_at: Option<Timestamp>,
    /// Why the last attempt failed.
    pub failure: Option<DeliveryFailure>,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried again.
    #[schemars(with = "Option<String>")]
    pub next_attempt_at: Option<Timestamp>,
    /// After when it is no longer delivered.
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Timestamp>,
    /// The time as it was given.
    pub requested: Value,
}

/// Why a delivery failed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryFailure {
    /// The stable name.
    pub code: String,
    /// What happened.
    pub message: String,
}

impl From<messages::Reply> for Scheduled {
    fn from(reply: messages::Reply) -> Self {
        let messages::Reply { id, due_at, status, target_agent_id } = reply;
        Self { id, due_at, status, target_agent_id }
    }
}

impl From<messages::CancelReply> for CancelledScheduled {
    fn from(reply: messages::CancelReply) -> Self {
        let messages::CancelReply { id, cancelled, status } = reply;
        Self { id, cancelled, status }
    }
}

impl From<messages::Message> for ScheduledItem {
    fn from(message: messages::Message) -> Self {
        Self {
            id: message.id,
            sender: message.sender,
            target_agent_id: message.target_agent_id,
            message: message.message.as_str().to_owned(),
            due_at: message.due_at,
            status: message.status,
            created_at: message.created_at,
            updated_at: message.updated_at,
            delivered_at: message.delivered_at,
            failure: message
                .failure
                .map(|failure| DeliveryFailure { code: failure.code, message: failure.message }),
            attempts: message.attempts,
            next_attempt_at: message.next_attempt_at,
            expires_at: message.expires_at,
            requested: message.requested,
        }
    }
}
