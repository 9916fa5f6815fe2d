use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::body::Body;
use super::sender::{Origin, Sender};
use crate::call_key::CallKey;
use crate::id::{AgentId, MessageId};
use crate::time::Timestamp;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Somebody writes.
    Message,
    /// The parent gives work.
    Task,
    /// Somebody wrote earlier for now.
    Scheduled,
    /// The person answers a question.
    Answer,
    /// A child has finished.
    Completion,
    /// A child was cut off.
    Suspension,
}

impl Kind {
    /// The kind as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Task => "task",
            Self::Scheduled => "scheduled",
            Self::Answer => "answer",
            Self::Completion => "completion",
            Self::Suspension => "suspension",
        }
    }

    /// Whether it must arrive however full the mailbox is.
    pub(super) fn must_arrive(self) -> bool {
        matches!(self, Self::Answer | Self::Completion | Self::Suspension)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What became of a message when it was delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reception {
    /// A process of the receiver is there to see it.
    Listening,
    /// Nobody is there to see it now.
    #[default]
    Stored,
    /// It went into the receiver's running turn.
    Steered,
    /// It is the first thing of the receiver's next turn.
    Queued,
    /// It started a turn.
    Started,
}

impl Reception {
    /// The reception as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Listening => "listening",
            Self::Stored => "stored",
            Self::Steered => "steered",
            Self::Queued => "queued",
            Self::Started => "started",
        }
    }
}

/// A message to be delivered.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// Whose mailbox it is for.
    pub to: AgentId,
    /// Who it is from.
    pub from: Sender,
    /// What it is.
    pub kind: Kind,
    /// The ID its maker gave it; none lets the store make one.
    pub id: Option<MessageId>,
    /// The call that sent it.
    pub key: Option<CallKey>,
    /// The ID it is about.
    pub about: Option<String>,
    /// Structured content of Rig's own kinds.
    pub data: Option<Value>,
    /// The text.
    pub body: Body,
    /// What becomes of it, as far as is known.
    pub reception: Reception,
}

impl NewMessage {
    /// A plain message.
    #[must_use]
    pub fn new(from: Sender, to: AgentId, body: Body) -> Self {
        Self {
            to,
            from,
            kind: Kind::Message,
            id: None,
            key: None,
            about: None,
            data: None,
            body,
            reception: Reception::Stored,
        }
    }
}

/// A message in a mailbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its place in the mailbox, from 1.
    pub seq: u64,
    /// Its ID.
    pub id: MessageId,
    /// When it was committed.
    pub at: Timestamp,
    /// What it is.
    pub kind: Kind,
    /// Who it is from.
    pub from: Origin,
    /// The ID it is about.
    pub about: Option<String>,
    /// Structured content of Rig's own kinds.
    pub data: Option<Value>,
    /// The text.
    pub body: Body,
}

/// What two messages of one identity must have in common.
pub(super) struct Content<'a> {
    pub(super) kind: Kind,
    pub(super) about: Option<&'a str>,
    pub(super) data: Option<&'a Value>,
    pub(super) body: &'a Body,
}

/// A field of a content that differs, with both its values; a body is told by its length.
pub(super) struct Differing {
    pub(super) field: &'static str,
    pub(super) stored: String,
    pub(super) given: String,
}

impl<'a> Content<'a> {
    pub(super) fn of_new(new: &'a NewMessage) -> Self {
        let NewMessage { kind, about, data, body, .. } = new;
        Self { kind: *kind, about: about.as_deref(), data: data.as_ref(), body }
    }

    pub(super) fn of_stored(message: &'a Message) -> Self {
        let Message { kind, about, data, body, .. } = message;
        Self { kind: *kind, about: about.as_deref(), data: data.as_ref(), body }
    }

    /// What is left of a content once the message is gone.
    pub(super) fn digest(&self) -> String {
        let Self { kind, about, data, body } = self;
        let whole = serde_json::json!([kind.as_str(), about, data, body.as_str()]).to_string();
        let digest = Sha256::digest(whole);
        digest.iter().fold(String::with_capacity(64), |text, byte| text + &format!("{byte:02x}"))
    }

    /// Where the given content differs from this stored one.
    pub(super) fn differing(&self, given: &Self) -> Option<Differing> {
        let quoted = |text: Option<&str>| text.unwrap_or("none").to_owned();
        let data = |data: Option<&Value>| if data.is_some() { "some" } else { "none" }.to_owned();
        let characters = |body: &Body| format!("{} characters", body.characters());
        let (field, stored, given) = if self.kind != given.kind {
            ("kind", self.kind.to_string(), given.kind.to_string())
        } else if self.about != given.about {
            ("about", quoted(self.about), quoted(given.about))
        } else if self.data != given.data {
            ("data", data(self.data), data(given.data))
        } else if self.body != given.body {
            ("message", characters(self.body), characters(given.body))
        } else {
            return None;
        };
        Some(Differing { field, stored, given })
    }
}
