use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::build::Build;
use super::failure::Failure;

/// The first frame of a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Opening {
    /// Who comes.
    pub hello: Hello,
}

/// Who comes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The client's program.
    #[serde(flatten)]
    pub build: Build,
    /// Who is calling; none is the person.
    pub agent: Option<Credentials>,
    /// The name of the client's view of the disk.
    #[serde(default)]
    pub disk: Option<String>,
}

/// How an agent shows who it is.
#[derive(Clone, Serialize, Deserialize)]
pub struct Credentials {
    /// Its ID.
    pub id: String,
    /// Its token.
    pub token: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What a client that comes is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Greeting {
    /// It may ask.
    Welcome(Welcome),
    /// The store is being opened; this is told again at least every second.
    Starting {
        /// How much of a repair is done.
        percent: u8,
    },
    /// It may not ask.
    Refused(Failure),
}

/// Who leads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// The protocol that is spoken from here on.
    pub protocol: u32,
    /// The leader's build.
    pub build: String,
    /// The schema of its store.
    pub schema: u64,
    /// `command`, `host` or `daemon`.
    pub role: String,
    /// Its process.
    pub pid: u32,
    /// Whether a daemon stands in line to lead after it.
    pub heir: bool,
}

/// A request.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// Its number, which the answer names.
    pub id: u64,
    /// The operation.
    pub op: String,
    /// What the operation is asked.
    #[serde(default)]
    pub args: Option<Box<RawValue>>,
}

/// Whatever a leader sends after the greeting.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// The request it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The whole reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<Box<RawValue>>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// A part of a stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Box<RawValue>>,
    /// The reply that ends a stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Box<RawValue>>,
    /// The request is being worked on: a sign of life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working: Option<Empty>,
    /// The leader leaves: whatever has no answer is to be asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<Empty>,
}

/// `{}`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Empty {}

impl Answer {
    /// An answer to a request.
    #[must_use]
    pub fn to(id: u64) -> Self {
        Self { id: Some(id), ..Self::default() }
    }

    /// What a leader says that leaves.
    #[must_use]
    pub fn handover() -> Self {
        Self { handover: Some(Empty {}), ..Self::default() }
    }

    /// A sign of life for a request that takes long.
    #[must_use]
    pub fn working(id: u64) -> Self {
        Self { working: Some(Empty {}), ..Self::to(id) }
    }
}
