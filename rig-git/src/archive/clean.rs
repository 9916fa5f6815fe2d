use rig_core::cancel::Cancel;
use rig_core::project::Project;
use rig_core::workspace::Workspace;

use crate::error::Result;
use crate::machine::Machine;

/// What cleaning up did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Removed {
    /// Folder and entry are gone.
    Gone,
    /// The folder was kept, and why.
    Kept(String),
}

/// Removes the workspace's folder and git's entry of it, under the turn of its common folder. What
/// is not provably ours is kept.
pub(crate) fn remove_folder(
    machine: &Machine,
    project: &Project,
    project_key: &str,
    workspace: &Workspace,
    cancel: &Cancel,
) -> Result<Removed> {
    let _ = (machine, project, project_key, workspace, cancel);
    todo!()
}

/// Deletes the workspace's branch as `workspace.delete_branch` asks; answers the reason if it was
/// kept all the same, none if it is gone.
pub(crate) fn delete_branch(
    machine: &Machine,
    project: &Project,
    workspace: &Workspace,
    cancel: &Cancel,
) -> Result<Option<String>> {
    let _ = (machine, project, workspace, cancel);
    todo!()
}
