//! Setup: runs the project's commands in a new workspace and keeps what they print.

use std::path::{Path, PathBuf};

use rig_core::cancel::Cancel;
use rig_core::config::Config;
use rig_core::id::WorkspaceId;
use rig_core::workspace::{Step, Workspace};

use crate::error::Result;
use crate::machine::Machine;
use crate::progress::Progress;

/// Where the output of a workspace's setup commands goes.
#[must_use]
pub fn log_path(state: &Path, id: WorkspaceId) -> PathBuf {
    state.join("logs/setup").join(format!("{id}.log"))
}

/// Runs the setup commands of `config` in order, until one fails. `ended` is told of each that ended,
/// the failing one included, before the next begins.
///
/// # Errors
///
/// `Step` with `setup_failed` or `setup_timed_out`; `Cancelled`; what `ended` fails with.
pub fn run(
    machine: &Machine,
    workspace: &Workspace,
    project_path: &Path,
    config: &Config,
    now: &dyn Fn() -> rig_core::time::Timestamp,
    progress: &mut dyn FnMut(Progress<'_>),
    ended: &mut dyn FnMut(Step) -> Result<()>,
    cancel: &Cancel,
) -> Result<()> {
    let _ = (machine, workspace, project_path, config, now, progress, ended, cancel);
    todo!()
}
