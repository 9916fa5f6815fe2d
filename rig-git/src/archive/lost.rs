use rig_core::cancel::Cancel;
use rig_core::config::Config;
use rig_core::path::RawPath;
use rig_core::workspace::{SavedWork, Workspace};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::machine::Machine;

/// What would be lost, or was, with a workspace's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lost {
    /// Staged, unstaged, untracked and conflicted files.
    pub dirty: Dirty,
    /// Commits of HEAD in no remote-tracking ref and not in the base.
    pub unpushed: u64,
    /// Ignored files, folders collapsed.
    pub ignored: Ignored,
    /// Submodules with changes or commits of their own.
    pub submodules: Vec<RawPath>,
    /// Nested repositories with changes or commits of their own.
    pub nested: Vec<RawPath>,
    /// Where the work was saved, once it is.
    pub saved: Option<SavedWork>,
}

/// Files with uncommitted changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dirty {
    /// How many.
    pub count: u64,
    /// The first 50, in byte order.
    pub paths: Vec<RawPath>,
}

/// Ignored files and folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ignored {
    /// How many, folders counted once.
    pub count: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Whether counting was cut off, so that there is at least this much.
    pub at_least: bool,
    /// The first 50, in byte order.
    pub paths: Vec<RawPath>,
}

/// Looks at what the workspace's folder holds that nothing else does. A folder that is gone has
/// nothing to lose.
///
/// # Errors
///
/// If git cannot read the worktree, or `Cancelled`.
pub fn lost(
    machine: &Machine,
    config: &Config,
    project_root: &std::path::Path,
    workspace: &Workspace,
    cancel: &Cancel,
) -> Result<Lost> {
    let _ = (machine, config, project_root, workspace, cancel);
    todo!()
}
