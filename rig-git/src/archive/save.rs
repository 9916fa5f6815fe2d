use rig_core::cancel::Cancel;
use rig_core::workspace::{SavedWork, Workspace};

use crate::error::Result;
use crate::machine::Machine;

/// Saves what the worktree holds that no commit on a branch does, under
/// `refs/rig/archived/<workspace id>`. None if there is nothing to save. A ref that is set already
/// is answered as it is.
pub(crate) fn save(
    machine: &Machine,
    workspace: &Workspace,
    cancel: &Cancel,
) -> Result<Option<SavedWork>> {
    let _ = (machine, workspace, cancel);
    todo!()
}

/// Lays saved work over the fresh worktree at `workspace` as uncommitted changes; files that were untracked are
/// untracked again. Doing it again changes nothing.
pub(crate) fn apply(
    machine: &Machine,
    workspace: &Workspace,
    saved: &SavedWork,
    cancel: &Cancel,
) -> Result<()> {
    let _ = (machine, workspace, saved, cancel);
    todo!()
}
