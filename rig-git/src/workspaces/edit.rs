//! What every edit of a workspace checks first.

use rig_core::caller::Caller;
use rig_core::id::WorkspaceId;
use rig_core::store::Tx;
use rig_core::workspace::Workspace;

use crate::error::{Error, Result, Row};
use crate::rows;

/// The row, unless it was edited since the caller looked.
pub(super) fn editable(tx: &Tx<'_>, id: WorkspaceId, expected: Option<u64>) -> Result<Workspace> {
    let row = rows::workspace(tx, id)?;
    match expected {
        Some(expected) if !row.accepts(Some(expected)) => Err(Error::VersionConflict {
            what: id.to_string(),
            expected,
            version: row.version,
            user_version: row.user_version,
            row: Row::Workspace(Box::new(row)),
        }),
        _ => Ok(row),
    }
}

/// Refuses agents that do not own the workspace; the person may do everything.
pub(super) fn owned(row: &Workspace, caller: Caller) -> Result<()> {
    match caller {
        Caller::Agent(agent) if row.owner != Some(agent) => {
            Err(Error::NotOwner { name: row.name.to_string() })
        }
        _ => Ok(()),
    }
}

pub(super) fn not_ready(row: Workspace, hint: &'static str) -> Error {
    Error::WorkspaceNotReady { workspace: Box::new(row), hint }
}
