use rig_core::call_key::CallKey;
use rig_core::id::WaitId;
use rig_sched::parse::{DurationInput, InstantInput};
use rig_sched::waits::{Outcome, Waiting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema::{CallKeySchema, InstantSchema};

/// Waits until a time has passed, by a clock that nobody can set; a message to the agent ends it
/// before. It is kept on disk and survives whatever waits for it. For real elapsed time, not for
/// asking again and again after an agent in the background, which reports by itself.
///
/// Either `duration` or any of the numbers says how long, 24 hours at most.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// How long, such as `1h 30m` or `PT90M`.
    #[serde(default)]
    pub duration: Option<String>,
    /// Seconds, which are added to the other numbers.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// Minutes.
    #[serde(default)]
    pub minutes: Option<f64>,
    /// Hours.
    #[serde(default)]
    pub hours: Option<f64>,
    /// Days.
    #[serde(default)]
    pub days: Option<f64>,
    /// Its ID, made by the caller so that a repeated request meets the same wait.
    #[serde(default)]
    pub wait_id: Option<String>,
    /// How the caller names the call: the same call again meets the same wait.
    #[serde(default)]
    #[schemars(with = "Option<CallKeySchema>")]
    pub key: Option<CallKey>,
    /// After how many milliseconds to answer even though the wait goes on.
    #[serde(default)]
    pub hold_ms: Option<u64>,
    /// The last number in its mailbox that the agent has read: a later message ends the wait at once.
    #[serde(default)]
    pub seen: Option<u64>,
}

/// Waits until an instant, by the wall clock; a message to the agent ends it before. One in the past
/// is due at once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitUntil {
    /// The instant, 24 hours ahead at most: RFC 3339, ISO 8601 with an offset, RFC 2822, or Unix
    /// seconds or milliseconds.
    #[schemars(with = "InstantSchema")]
    pub at: InstantInput<'static>,
    /// Its ID, made by the caller so that a repeated request meets the same wait.
    #[serde(default)]
    pub wait_id: Option<String>,
    /// How the caller names the call: the same call again meets the same wait.
    #[serde(default)]
    #[schemars(with = "Option<CallKeySchema>")]
    pub key: Option<CallKey>,
    /// After how many milliseconds to answer even though the wait goes on.
    #[serde(default)]
    pub hold_ms: Option<u64>,
    /// The last number in its mailbox that the agent has read: a later message ends the wait at once.
    #[serde(default)]
    pub seen: Option<u64>,
}

/// Waits for the end of a wait that was started before.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AwaitWait {
    /// The wait.
    pub wait_id: String,
    /// After how many milliseconds to answer even though the wait goes on.
    #[serde(default)]
    pub hold_ms: Option<u64>,
}

/// Cancels a wait. One that has ended stays as it is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitCancel {
    /// The wait.
    pub wait_id: String,
}

/// How a wait ended, or that it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("type" = "object"))]
pub enum WaitReply {
    /// It has ended.
    Ended(#[schemars(with = "OutcomeSchema")] Outcome),
    /// It goes on; the same ID or key meets it again.
    Waiting(#[schemars(with = "WaitingSchema")] Waiting),
}

/// What came of cancelling a wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelledWait {
    /// The wait.
    #[schemars(with = "String")]
    pub wait_id: WaitId,
    /// Whether it is cancelled, now or since before.
    pub cancelled: bool,
    /// How it ended.
    #[schemars(with = "OutcomeSchema")]
    pub result: Outcome,
}

impl Wait {
    /// The duration as it was given.
    #[must_use]
    pub fn length(&self) -> DurationInput<'_> {
        DurationInput {
            duration: self.duration.as_deref().map(Into::into),
            seconds: self.seconds,
            minutes: self.minutes,
            hours: self.hours,
            days: self.days,
        }
    }
}

/// The result of a wait.
#[derive(JsonSchema)]
#[schemars(rename = "WaitResult")]
#[allow(dead_code)] // Only its schema is used.
struct OutcomeSchema {
    /// When it started.
    started_at: String,
    /// When it was due.
    due_at: String,
    /// When it ended.
    ended_at: String,
    /// How many seconds it took, with up to three decimals.
    elapsed_seconds: f64,
    /// Whether something else than time ended it.
    interrupted: bool,
    /// `elapsed`, `message_received`, `cancelled` or `agent_stopped`.
    reason: String,
    /// Which wait it was.
    wait_id: String,
}

/// A wait that goes on.
#[derive(JsonSchema)]
#[schemars(rename = "Waiting")]
#[allow(dead_code)]
struct WaitingSchema {
    /// Which wait it is.
    wait_id: String,
    /// `waiting`.
    status: String,
    /// When it started.
    started_at: String,
    /// When it is due.
    due_at: String,
    /// How many seconds it has taken so far, with up to three decimals.
    elapsed_seconds: f64,
}
