use rig_core::call_key::CallKey;
use rig_core::id::{AgentId, MessageId};
use rig_core::mail::{Reception, Shown};
use rig_core::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::PathSchema;
use super::schema::CallKeySchema;
use super::time_out::TimeOut;

/// Sends a message to an agent. An agent must have asked for its `agent_info` before.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentSend {
    /// Whom it is for.
    pub agent_id: String,
    /// The text, of 1 to 100 000 characters.
    pub message: String,
    /// Its ID, made by who sends, so that sending again makes no second message.
    #[serde(default)]
    pub message_id: Option<String>,
    /// The call that sends it, for the same.
    #[serde(default)]
    #[schemars(with = "Option<CallKeySchema>")]
    pub key: Option<CallKey>,
    /// Whether an agent that the sender started may only read from then on; false gives it the
    /// sender's mode.
    #[serde(default)]
    pub read_only: Option<bool>,
}

/// A message that is in its mailbox.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentMessage {
    /// Always true.
    pub delivered: bool,
    /// Its ID.
    #[schemars(with = "String")]
    pub message_id: MessageId,
    /// Whether it was there already.
    pub replayed: bool,
    /// What became of it: `listening` or `stored`; for managed agents `steered`, `queued` or
    /// `started`.
    #[schemars(with = "String")]
    pub reception: Reception,
}

/// Hands out what follows what the caller has acknowledged.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentReceive {
    /// How many messages at most, 1 to 1000; 100 without it.
    #[serde(default)]
    pub limit: Option<usize>,
    /// How many milliseconds to wait for a first message; without it not at all.
    #[serde(default)]
    pub timeout_ms: Option<TimeOut>,
}

/// Hands out what follows what the caller has acknowledged, and new messages as they come.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentFollow {
    /// The number of the last message that is known; only later ones are handed out.
    #[serde(default)]
    pub after: Option<u64>,
}

/// Messages of a mailbox, in order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Mail {
    /// The messages.
    #[schemars(with = "Vec<MessageSchema>")]
    pub messages: Vec<Shown>,
    /// Everything up to this number is done.
    pub acked: u64,
    /// The number of the last of the messages; what is done if there is none.
    pub last: u64,
    /// Whether more follow.
    pub more: bool,
}

/// A message that is handed out.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct OneMessage(#[schemars(with = "MessageSchema")] pub Shown);

/// The schema of a message as its receiver is shown it.
#[derive(JsonSchema)]
#[allow(dead_code)] // Only its schema is used.
struct MessageSchema {
    /// Its place in the mailbox.
    seq: u64,
    /// Its ID.
    id: String,
    /// When it was committed.
    at: String,
    /// `message`, `task`, `scheduled`, `answer`, `completion` or `suspension`.
    kind: String,
    /// Who it is from.
    from: FromSchema,
    /// The ID it is about.
    about: Option<String>,
    /// Structured content of Rig's own kinds.
    data: Option<serde_json::Value>,
    /// The text, unchanged.
    body: String,
}

#[derive(JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[allow(dead_code)] // As above.
enum FromSchema {
    /// An agent.
    Agent {
        /// Its ID.
        agent_id: String,
        /// Its title when it sent.
        title: Option<String>,
        /// What it was to the receiver: `parent`, `child`, `delegator`, `delegate`, `self` or
        /// `other`.
        relation: String,
        /// Whether the receiver can see its folder.
        disk_shared: bool,
        /// Its folder when it sent, as the receiver sees it.
        path: Option<PathSchema>,
    },
    /// The person.
    Person,
    /// Rig itself.
    Rig,
}

/// Acknowledges all messages up to a number: they never come back.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentAck {
    /// The number.
    pub seq: u64,
}

/// How far a mailbox is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AckedMail {
    /// Whose it is.
    #[schemars(with = "String")]
    pub agent_id: AgentId,
    /// Everything up to this number is done.
    pub acked: u64,
    /// When that was.
    #[schemars(with = "String")]
    pub at: Timestamp,
}
