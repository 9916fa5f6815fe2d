use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::path::RawPath;
use rig_core::token::TokenDigest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::PathSchema;

/// Registers an agent. Whoever asks makes ID and token, so that asking again is the same request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentNew {
    /// Its ID: `agt_` and 26 characters for 128 random bits.
    pub agent_id: String,
    /// The SHA-256 of its token, as 64 hexadecimal digits.
    #[schemars(with = "String")]
    pub token_digest: TokenDigest,
    /// Its title, of 1 to 100 characters.
    #[serde(default)]
    pub title: Option<String>,
    /// The agent above it: an ID, or for the person also a title that only one agent has. Without
    /// it the person makes a primary agent, and an agent one below itself.
    #[serde(default)]
    pub parent: Option<String>,
    /// The folder it works in, canonical and absolute; without it, a folder of its own.
    #[serde(default)]
    #[schemars(with = "Option<PathSchema>")]
    pub cwd: Option<RawPath>,
    /// The name of its view of the disk.
    pub disk: String,
    /// The workspace it is for; without it, the one that its folder is in.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub workspace_id: Option<WorkspaceId>,
}

/// Makes a token the only one of an agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentToken {
    /// The agent; without it the caller.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The SHA-256 of the token, as 64 hexadecimal digits.
    #[schemars(with = "String")]
    pub token_digest: TokenDigest,
}

/// Gives an agent a title, or takes it away.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentTitle {
    /// The agent; without it the caller.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The title, of 1 to 100 characters.
    #[serde(default)]
    pub title: Option<String>,
}

/// Takes an agent and everything below it off the lists, and ends what they wait for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentArchive {
    /// The agent.
    pub agent_id: String,
}

/// Tells an agent who it is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentMe {}

/// Tells of an agent, which lets the caller send to it from then on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentInfo {
    /// Its exact ID.
    pub agent_id: String,
}

/// Lists an agent and everything below it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentTree {
    /// The agent; without it the caller, and for the person all trees.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// Whether archived ones are listed too.
    #[serde(default)]
    pub all: Option<bool>,
}

/// Lists the conversations of primary agents, most recently active first.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListWorkspaceSessions {
    /// Those of this project only.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub project_id: Option<ProjectId>,
    /// Those of this workspace only.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub workspace_id: Option<WorkspaceId>,
}
