use serde::{Deserialize, Serialize};

use crate::caller::Caller;
use crate::id::{AgentId, ProjectId, SessionId, WorkspaceId};
use crate::name::Name;
use crate::path::RawPath;
use crate::store::Record;
use crate::time::Timestamp;

/// An agent as it is stored. Agents never die: an archived one can still be written to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Its ID.
    pub id: AgentId,
    /// Its conversation.
    pub session: SessionId,
    /// Whether Rig runs it.
    pub kind: AgentKind,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Name>,
    /// Whether it ever had a title.
    pub titled: bool,
    /// The agent that drives it; none for a primary agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<AgentId>,
    /// The primary agent of its tree; itself if it is one.
    pub root: AgentId,
    /// How far it is below the primary agent.
    pub depth: u32,
    /// The agent that started it as a primary agent of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegated_by: Option<AgentId>,
    /// The name of its view of the disk.
    pub disk: String,
    /// The workspace that is its home.
    pub home: WorkspaceId,
    /// The folder it was registered with, canonical and absolute, as it is on its disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<RawPath>,
    /// The workspace it was registered with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceId>,
    /// The project of that workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// Who registered it.
    pub registered_by: Caller,
    /// The title it was registered with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_title: Option<Name>,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When its record last changed.
    pub updated_at: Timestamp,
    /// When it was archived, while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Timestamp>,
}

impl Record for Agent {}

impl Agent {
    /// Whether it has no parent, so that the person sees its conversation.
    #[must_use]
    pub fn is_primary(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether it left the lists.
    #[must_use]
    pub fn is_archived(&self) -> bool {
        self.archived_at.is_some()
    }

    /// What this agent is to `other`.
    #[must_use]
    pub fn relation_to(&self, other: &Self) -> Relation {
        if self.id == other.id {
            Relation::Own
        } else if other.parent == Some(self.id) {
            Relation::Parent
        } else if self.parent == Some(other.id) {
            Relation::Child
        } else if other.delegated_by == Some(self.id) {
            Relation::Delegator
        } else if self.delegated_by == Some(other.id) {
            Relation::Delegate
        } else {
            Relation::Other
        }
    }
}

/// Who runs an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// It was connected by hand.
    External,
    /// Rig runs it.
    Managed,
}

/// What one agent is to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It drives the other.
    Parent,
    /// It is driven by the other.
    Child,
    /// It started the other as a primary agent.
    Delegator,
    /// It was started by the other as a primary agent.
    Delegate,
    /// It is the other.
    #[serde(rename = "self")]
    Own,
    /// None of these.
    Other,
}

impl Relation {
    /// The relation as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Child => "child",
            Self::Delegator => "delegator",
            Self::Delegate => "delegate",
            Self::Own => "self",
            Self::Other => "other",
        }
    }
}
