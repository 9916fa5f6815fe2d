use rig_core::id::WorkspaceId;
use rig_core::workspace::StepName;
use rig_git::progress::Progress;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Waits until a workspace is `initializing` no more.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AwaitWorkspace {
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
}

/// Waits until git's branch has followed the last rename of a workspace.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AwaitBranch {
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
}

/// Waits until an archived workspace is cleaned up.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AwaitArchived {
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
}

/// How the work on a workspace goes on; it is only ever shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkProgress {
    /// A step begins.
    Step {
        /// `fetch`, `resolve`, `checkout`, `verify`, `sync`, `setup` or `ready`.
        #[schemars(with = "String")]
        step: StepName,
        /// The number of the setup command, from 1.
        index: Option<u32>,
    },
    /// So many files of so many are checked out.
    Files {
        /// Files written.
        done: u64,
        /// Files to write.
        total: u64,
    },
    /// The last line a command printed.
    Output(String),
    /// It waits for its turn in the repository.
    Waiting,
}

impl WorkProgress {
    /// What rig-git tells; none if this build cannot show it.
    pub(crate) fn of(progress: Progress<'_>) -> Option<Self> {
        Some(match progress {
            Progress::Step(step, index) => Self::Step { step, index },
            Progress::Files { done, total } => Self::Files { done, total },
            Progress::Output(line) => Self::Output(line.to_owned()),
            Progress::Waiting => Self::Waiting,
            _ => return None,
        })
    }
}
