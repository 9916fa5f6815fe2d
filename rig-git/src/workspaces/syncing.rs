use rig_core::cancel::Cancel;
use rig_core::config;
use rig_core::id::WorkspaceId;
use rig_core::store::Transact;
use rig_core::workspace::Status;

use super::edit::not_ready;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::sync::SyncReport;
use crate::{rows, sync};

/// Copies the sync files of a ready workspace now, as the project's own `rig.toml` names them.
///
/// # Errors
///
/// `WorkspaceNotReady`, `WorkspaceFolderMissing`, `Config`, `SyncPathInvalid`, `Cancelled`.
pub fn sync_now(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    dry_run: bool,
    cancel: &Cancel,
) -> Result<SyncReport> {
    let (row, project) = store.read(|read| {
        let row = rows::workspace(read, id)?;
        let project = rows::project(read, row.project)?;
        Ok::<_, Error>((row, project))
    })?;
    if row.status != Status::Ready {
        return Err(not_ready(row, ": only a ready workspace is synced"));
    }
    let config = config::load(machine.user_config.as_deref(), &project.path)?;
    sync::pass(&config, &project.path, &row.path, dry_run, cancel)
}
