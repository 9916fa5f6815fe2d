use std::path::Path;

use rig_core::agent::{AgentKind, Sharing};
use rig_core::id::{AgentId, ProjectId, SessionId, WorkspaceId};
use rig_core::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::PathReply;

/// An agent that was registered, or given a token.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentReply {
    /// Its ID.
    #[schemars(with = "String")]
    pub agent_id: AgentId,
    /// Its conversation.
    #[schemars(with = "String")]
    pub session_id: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// The agent above it.
    #[schemars(with = "Option<String>")]
    pub parent_agent_id: Option<AgentId>,
    /// How far it is below its primary agent.
    pub depth: u32,
}

/// A title that was set.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TitledAgent {
    /// The agent.
    #[schemars(with = "String")]
    pub agent_id: AgentId,
    /// Its title.
    pub title: Option<String>,
}

/// An agent that was archived.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedAgent {
    /// The agent.
    #[schemars(with = "String")]
    pub agent_id: AgentId,
    /// It and everything below it.
    #[schemars(with = "Vec<String>")]
    pub archived: Vec<AgentId>,
}

/// What an agent does.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatusReply {
    /// `idle`, `waiting` or `archived`.
    pub status: String,
    /// Which of its waits is due first, if it is waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<WaitingReply>,
}

/// A wait that goes on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WaitingReply {
    /// Its ID.
    pub wait_id: String,
    /// When it started.
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    /// When it is due.
    #[schemars(with = "String")]
    pub due_at: Timestamp,
}

/// Who the caller is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Myself {
    /// Its ID.
    #[schemars(with = "String")]
    pub agent_id: AgentId,
    /// Its title.
    pub title: Option<String>,
    /// What it does.
    #[serde(flatten)]
    pub status: StatusReply,
    /// What its ID is good for.
    pub hint: String,
}

/// An agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfoReply {
    /// Its ID.
    #[schemars(with = "String")]
    pub agent_id: AgentId,
    /// Its title.
    pub title: Option<String>,
    /// What it does.
    #[serde(flatten)]
    pub status: StatusReply,
    /// Whether the caller can see its folder.
    pub disk_shared: bool,
    /// Its folder, as the caller sees it.
    #[serde(flatten)]
    pub path: Option<PathReply>,
    /// Why the folder cannot be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// What only the person is told.
    #[serde(flatten)]
    pub person: Option<PersonsInfo>,
}

impl AgentInfoReply {
    /// The same, with what is true of the folder.
    pub(crate) fn with(mut self, sharing: Sharing) -> Self {
        self.notice = match &sharing {
            Sharing::Shared(_) => None,
            Sharing::OtherDisk | Sharing::Gone(_) => Some(sharing.to_string()),
        };
        self.path = match sharing {
            Sharing::Shared(path) => Some(path.into()),
            Sharing::OtherDisk | Sharing::Gone(_) => None,
        };
        self.disk_shared = self.path.is_some();
        self
    }

    /// The same once this process has looked for the folder, which whoever leads may not see.
    pub(crate) fn looked_at(self) -> Self {
        match self.path.as_ref().map(|path| path.as_path().to_owned()) {
            Some(path) => self.with(Sharing::of(Some(path), Path::is_dir)),
            None => self,
        }
    }
}

/// What the person is told of an agent besides.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonsInfo {
    /// `external` or `managed`.
    #[schemars(with = "String")]
    pub kind: AgentKind,
    /// The agent above it.
    #[schemars(with = "Option<String>")]
    pub parent_agent_id: Option<AgentId>,
    /// Its conversation.
    #[schemars(with = "String")]
    pub session_id: SessionId,
    /// The workspace it is for.
    #[schemars(with = "Option<String>")]
    pub workspace_id: Option<WorkspaceId>,
    /// Messages that it has not acknowledged.
    pub unacked: u64,
    /// Whether a process of it is connected.
    pub listening: bool,
    /// Its latest run.
    pub run: Option<serde_json::Value>,
}

/// Agents, each before those below it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Agents {
    /// The agents.
    pub agents: Vec<AgentInTree>,
}

/// An agent in its tree.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentInTree {
    /// Its ID.
    #[schemars(with = "String")]
    pub agent_id: AgentId,
    /// Its conversation.
    #[schemars(with = "String")]
    pub session_id: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// What it does.
    #[serde(flatten)]
    pub status: StatusReply,
    /// `external` or `managed`.
    #[schemars(with = "String")]
    pub kind: AgentKind,
    /// The agent above it.
    #[schemars(with = "Option<String>")]
    pub parent_agent_id: Option<AgentId>,
    /// How far it is below its primary agent.
    pub depth: u32,
    /// Whether it is off the lists.
    pub archived: bool,
}

/// Conversations, most recently active first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Sessions {
    /// The conversations.
    pub sessions: Vec<SessionReply>,
}

/// The conversation of a primary agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionReply {
    /// Its ID.
    #[schemars(with = "String")]
    pub id: SessionId,
    /// Whose it is.
    #[schemars(with = "String")]
    pub agent_id: AgentId,
    /// The agent's title.
    pub title: Option<String>,
    /// What the agent does.
    #[serde(flatten)]
    pub status: StatusReply,
    /// When something last happened in it.
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
    /// The project it is for.
    #[schemars(with = "Option<String>")]
    pub project_id: Option<ProjectId>,
    /// The workspace it is for.
    #[schemars(with = "Option<String>")]
    pub workspace_id: Option<WorkspaceId>,
    /// The agent that started it.
    #[schemars(with = "Option<String>")]
    pub delegated_by: Option<AgentId>,
    /// The conversation of that agent.
    #[schemars(with = "Option<String>")]
    pub parent_session_id: Option<SessionId>,
    /// Whether it is off the lists.
    pub archived: bool,
}
