use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::id::WorkspaceId;
use rig_core::store::Transact;
use rig_core::workspace::{Status, Workspace};

use super::create::{Either, NewWorkspace, existing_or_project, plan_for, reserve};
use super::edit::not_ready;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::projects::usable;
use crate::rows;

/// Reserves a new workspace at the HEAD that `id` was archived with; [`super::materialize`] lays
/// the saved work over it as uncommitted changes. The saved ref stays. Without a name the new one
/// is called as the archived one, with a number. `new` is the new one's ID, as in [`super::create`].
///
/// # Errors
///
/// `WorkspaceNotFound`; `NothingSaved`; `WorkspaceNotReady` unless it is archived; and as
/// [`super::create`].
pub fn restore_work(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    new: Option<WorkspaceId>,
    name: Option<String>,
    caller: Caller,
    cancel: &Cancel,
) -> Result<Workspace> {
    let archived = store.read(|read| rows::workspace(read, id))?;
    let new = NewWorkspace {
        project: archived.project,
        id: new,
        name: Some(name.unwrap_or_else(|| archived.name.to_string())),
        base: None,
        caller,
    };
    let project = match store.read(|read| existing_or_project(read, &new))? {
        Either::Existing(workspace) => return Ok(*workspace),
        Either::Project(project) => *project,
    };
    if archived.status != Status::Archived {
        return Err(not_ready(archived, ": work is restored once it is archived"));
    }
    let nothing = || Error::NothingSaved {
        name: archived.name.to_string(),
        why: match archived.path.symlink_metadata() {
            Ok(_) => format!("its folder was kept at {}", archived.path.display()),
            Err(_) => "it had no uncommitted work".to_owned(),
        },
    };
    let saved = archived.saved.as_ref().ok_or_else(nothing)?;
    let repository = usable(&machine.git, &project.path)?;
    let head = repository.commit(&format!("{}^1", saved.commit))?;
    let head = head.ok_or_else(|| Error::BaseLost { commit: saved.commit.clone() })?;
    let planned = plan_for(machine, project, &new, Some((head, id)), cancel)?;
    store.write(move |tx| reserve(tx, &planned, &new))
}
