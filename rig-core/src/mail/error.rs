use std::fmt;

use crate::agent;
use crate::id::{AgentId, MessageId};
use crate::store;

/// What the functions on mail return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a message was refused, or a mailbox could not be read. Nothing of a body is in a message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The message is empty or blank: `message_empty`.
    #[error("the message is {}: it needs at least one character that is not blank", if *.blank { "blank" } else { "empty" })]
    Empty {
        /// Whether it has characters, all of them blank.
        blank: bool,
    },
    /// The message is over its limit: `too_long`.
    #[error(
        "the message has {characters} characters, and at most {limit} are allowed; it is never shortened"
    )]
    TooLong {
        /// How many it has.
        characters: usize,
        /// How many it may have.
        limit: usize,
    },
    /// A field has a value that it cannot have: `bad_request`.
    #[error("`{field}` {rule}")]
    BadRequest {
        /// The field.
        field: &'static str,
        /// What it must be.
        rule: &'static str,
    },
    /// The sender has not asked about the target: `handshake_required`.
    #[error("Call agent_info with this agent ID before sending it a message.")]
    HandshakeRequired {
        /// The target.
        agent: AgentId,
    },
    /// The mailbox holds as much as it may: `mailbox_full`. It passes once the receiver has
    /// acknowledged.
    #[error("the mailbox of {agent} is full: {full}; the receiver must acknowledge messages first")]
    MailboxFull {
        /// Whose mailbox it is.
        agent: AgentId,
        /// Which limit it has reached.
        full: Full,
    },
    /// The ID is that of another message from this sender to this target: `id_conflict`.
    #[error("{id} is a message with another `{field}`: stored {stored}, given {given}")]
    IdConflict {
        /// The ID.
        id: MessageId,
        /// What differs.
        field: &'static str,
        /// What is stored; of a body, its length.
        stored: String,
        /// What was given.
        given: String,
    },
    /// The key is that of another message from this sender to this target: `key_conflict`.
    #[error(
        "the key {key} belongs to a message with another `{field}`: stored {stored}, given {given}"
    )]
    KeyConflict {
        /// The key.
        key: String,
        /// What differs.
        field: &'static str,
        /// What is stored; of a body, its length.
        stored: String,
        /// What was given.
        given: String,
    },
    /// What was not handed out cannot be acknowledged: `ack_ahead`.
    #[error("{seq} was not handed out yet: the highest number handed out is {handed}")]
    AckAhead {
        /// What was to be acknowledged.
        seq: u64,
        /// The highest number that may be.
        handed: u64,
    },
    /// What is wrong with one of the agents.
    #[error(transparent)]
    Agent(#[from] agent::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Which limit a mailbox has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The messages that are not acknowledged.
    Messages {
        /// How many there are.
        there: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The bytes of those messages.
    Bytes {
        /// How many there are.
        there: u64,
        /// How many there may be.
        limit: u64,
    },
    /// Those of the messages that are from this sender.
    FromSender {
        /// How many there are.
        there: u64,
        /// How many there may be.
        limit: u64,
    },
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Messages { there, limit } => {
                write!(f, "it has {there} unacknowledged messages of at most {limit}")
            }
            Self::Bytes { there, limit } => {
                write!(f, "it has {there} bytes of unacknowledged messages of at most {limit}")
            }
            Self::FromSender { there, limit } => {
                write!(
                    f,
                    "it has {there} unacknowledged messages from this sender of at most {limit}"
                )
            }
        }
    }
}

impl Error {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "message_empty",
            Self::TooLong { .. } => "too_long",
            Self::BadRequest { .. } => "bad_request",
            Self::HandshakeRequired { .. } => "handshake_required",
            Self::MailboxFull { .. } => "mailbox_full",
            Self::IdConflict { .. } => "id_conflict",
            Self::KeyConflict { .. } => "key_conflict",
            Self::AckAhead { .. } => "ack_ahead",
            Self::Agent(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }
}
