//! The record of a project: a folder Rig has been pointed at.

use serde::{Deserialize, Serialize};

use crate::id::ProjectId;
use crate::name::Name;
use crate::order::OrderKey;
use crate::path::RawPath;
use crate::time::Timestamp;
use crate::version::still_holds;

/// A project as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// Its ID.
    pub id: ProjectId,
    /// Its name, unique among all projects.
    pub name: Name,
    /// Who gave the name.
    pub named_by: NamedBy,
    /// The slug of its first name; it never changes.
    pub storage_key: String,
    /// The canonical real path of its folder, unique among all projects.
    pub path: RawPath,
    /// Whether the folder was there when last looked at.
    pub folder: Folder,
    /// The branch its work comes back to, found once and remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trunk: Option<String>,
    /// Whether it can have workspaces.
    pub support: Support,
    /// Grows with every change of what a reply shows.
    pub version: u64,
    /// The version that the last edit made.
    pub user_version: u64,
    /// Its place in the list of projects.
    pub order: OrderKey,
    /// When it was first added.
    pub created_at: Timestamp,
    /// When it was archived, while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Timestamp>,
}

/// Who gave a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedBy {
    /// Nobody: it was made from a folder or a remote, or is a placeholder.
    Rig,
    /// An agent.
    Agent,
    /// The person. What a person named, only a person renames.
    Person,
}

/// What is known of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Folder {
    /// It is there.
    Present,
    /// It is proven gone.
    Missing,
    /// It could not be looked at.
    Unknown,
}

/// Whether a project can have workspaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Support {
    /// It can.
    Supported,
    /// It is proven that it cannot.
    Unsupported {
        /// Why, as a stable code such as `not_a_git_project`.
        code: String,
        /// Why, in words.
        reason: String,
    },
    /// Nothing is proven.
    Unknown {
        /// Why it could not be told.
        reason: String,
    },
}

impl Support {
    /// As replies and events say it: `supported`, `unsupported` or `unknown`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Unsupported { .. } => "unsupported",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// Why not, unless it is supported.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Supported => None,
            Self::Unsupported { reason, .. } | Self::Unknown { reason } => Some(reason),
        }
    }
}

impl Project {
    /// Counts a change that nobody asked for by hand.
    pub fn changed(&mut self) {
        self.version += 1;
    }

    /// Counts an edit by the person or an agent.
    pub fn edited(&mut self) {
        self.version += 1;
        self.user_version = self.version;
    }

    /// Whether an edit that was made looking at version `expected` still holds.
    #[must_use]
    pub fn accepts(&self, expected: Option<u64>) -> bool {
        still_holds(expected, self.user_version, self.version)
    }
}
