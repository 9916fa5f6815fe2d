use std::fmt;

use rig_core::id::WaitId;
use rig_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::seconds::Seconds;

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It was due.
    Elapsed,
    /// A message was newly stored for the agent.
    MessageReceived,
    /// Its caller or the person cancelled it.
    Cancelled,
    /// The agent was stopped or archived.
    AgentStopped,
}

impl Reason {
    /// The name in results and events.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Elapsed => "elapsed",
            Self::MessageReceived => "message_received",
            Self::Cancelled => "cancelled",
            Self::AgentStopped => "agent_stopped",
        }
    }
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When, by the wall clock; not before it started, nor, if it elapsed, before it was due.
    pub at: Timestamp,
    /// The time since it started, that in which nothing ran included.
    pub elapsed: Seconds,
    /// Why.
    pub reason: Reason,
}

/// The result of a wait, as it is answered however often it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// When it started.
    pub started_at: Timestamp,
    /// When it was due.
    pub due_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// How long it took.
    pub elapsed_seconds: Seconds,
    /// Whether something else than time ended it.
    pub interrupted: bool,
    /// What ended it.
    pub reason: Reason,
    /// Which wait it was.
    pub wait_id: WaitId,
}

/// A sentence for people.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed_seconds;
        match self.reason {
            Reason::Elapsed => write!(f, "waited {seconds} s"),
            Reason::MessageReceived => write!(f, "interrupted by a message after {seconds} s"),
            Reason::Cancelled => write!(f, "cancelled after {seconds} s"),
            Reason::AgentStopped => write!(f, "the agent was stopped after {seconds} s"),
        }
    }
}

/// The answer about a wait that goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Which wait it is.
    pub wait_id: WaitId,
    /// Always `waiting`.
    pub status: WaitingStatus,
    /// When it started.
    pub started_at: Timestamp,
    /// When it is due.
    pub due_at: Timestamp,
    /// How long it has taken so far.
    pub elapsed_seconds: Seconds,
}

/// The status of a wait that goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingStatus {
    /// It goes on.
    #[default]
    Waiting,
}
