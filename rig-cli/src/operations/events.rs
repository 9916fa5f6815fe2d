use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lists events of the journal, oldest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEvents {
    /// The cursor of the last event that is known; only later ones are listed. Without it the newest
    /// 100 are.
    #[serde(default)]
    pub after: Option<String>,
}

/// Tells every event from a place in the journal on, and new ones as they happen, without end.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FollowEvents {
    /// The cursor of the last event that is known. Without it the newest 100 come first.
    #[serde(default)]
    pub after: Option<String>,
}

/// Nothing: following has no end of its own.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Followed {}

/// Events, oldest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Events {
    /// The events.
    pub events: Vec<Event>,
    /// Where the journal ended: what comes after it is listed with this.
    pub cursor: String,
}

/// An event of the journal.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Its place in the journal.
    pub cursor: String,
    /// Its ID.
    pub id: String,
    /// When it happened.
    pub at: String,
    /// What happened, such as `workspace.ready`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The IDs of the things it is about.
    pub about: Vec<String>,
    /// The agent it concerns.
    pub agent_id: Option<String>,
    /// The thing as it then was.
    pub data: serde_json::Value,
}
