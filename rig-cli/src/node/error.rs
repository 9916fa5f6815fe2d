use rig_core::{config, store};
use rig_git::error::Row;
use serde_json::Value;

use crate::environment;
use crate::operations::{ProjectReply, WorkspaceReply};

/// What the node's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation was refused, or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// As rig-git says.
    #[error(transparent)]
    Git(#[from] rig_git::Error),
    /// As the store says.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// As the configuration says.
    #[error(transparent)]
    Config(#[from] config::Error),
    /// As the environment says.
    #[error(transparent)]
    Environment(#[from] environment::Error),
    /// A resident daemon is required, and there is none: `no_leader`.
    #[error("a resident daemon is required, and this version of rig has none")]
    NoLeader,
    /// A background process could not be started: `internal`.
    #[error("cannot start a process for the work that is left")]
    Worker {
        /// Why not.
        source: std::io::Error,
    },
}

impl Error {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Git(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Config(error) => error.code(),
            Self::Environment(error) => error.code(),
            Self::NoLeader => "no_leader",
            Self::Worker { .. } => "internal",
        }
    }

    /// The row as it stands, as a reply shows it, where the error is about one.
    #[must_use]
    pub fn row(&self) -> Option<Value> {
        let Self::Git(error) = self else { return None };
        let shown = match error {
            rig_git::Error::WorkspaceNotReady { workspace: row, .. }
            | rig_git::Error::VersionConflict { row: Row::Workspace(row), .. } => {
                serde_json::to_value(WorkspaceReply::new((**row).clone(), None, None))
            }
            rig_git::Error::VersionConflict { row: Row::Project(row), .. } => {
                serde_json::to_value(ProjectReply::from((**row).clone()))
            }
            _ => return None,
        };
        shown.ok()
    }
}
