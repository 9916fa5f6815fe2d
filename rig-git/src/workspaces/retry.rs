use rig_core::caller::Caller;
use rig_core::id::WorkspaceId;
use rig_core::store::Transact;
use rig_core::workspace::{Status, Workspace};

use super::edit::{not_ready, owned};
use crate::error::Result;
use crate::{events, rows};

/// Puts a failed workspace back to `initializing`, for [`super::materialize`] to carry on from what
/// exists. On `initializing` and `ready` it does nothing.
///
/// # Errors
///
/// `WorkspaceNotFound`, `NotOwner`, `WorkspaceNotReady` (archiving, archived).
pub fn retry(store: &impl Transact, id: WorkspaceId, caller: Caller) -> Result<Workspace> {
    store.write(move |tx| {
        let mut row = rows::workspace(tx, id)?;
        owned(&row, caller)?;
        match row.status {
            Status::Initializing | Status::Ready => Ok(row),
            Status::Archiving | Status::Archived => {
                Err(not_ready(row, ": what is archived cannot be retried"))
            }
            Status::Failed => {
                row.become_retried()?;
                rows::put(tx, &row)?;
                events::workspace(tx, "workspace.retried", &row)?;
                Ok(row)
            }
        }
    })
}
