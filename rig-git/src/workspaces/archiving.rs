use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::config;
use rig_core::id::WorkspaceId;
use rig_core::project::Project;
use rig_core::store::{Transact, Tx};
use rig_core::workspace::{Checkout, DeleteBranch, Status, Workspace};
use serde_json::json;

use super::edit::{editable, owned};
use super::materialize::told;
use super::stop;
use crate::archive::{self, Lost, Removed};
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::{events, rows};

/// Archives a workspace: immediate and for good. [`clean_up`] is due. Repeated, it changes nothing.
///
/// # Errors
///
/// `WorkspaceNotFound`, `NotOwner`, `VersionConflict`.
pub fn archive(
    store: &impl Transact,
    id: WorkspaceId,
    delete_branch: Option<DeleteBranch>,
    caller: Caller,
    expected: Option<u64>,
) -> Result<Workspace> {
    store.write(move |tx| {
        let row = rows::workspace(tx, id)?;
        owned(&row, caller)?;
        if row.status.is_archived() {
            return Ok(row);
        }
        let row = editable(tx, id, expected)?;
        archive_row(tx, row, delete_branch)
    })
}

/// Archives a row inside a larger transaction.
pub(crate) fn archive_row(
    tx: &Tx<'_>,
    mut row: Workspace,
    delete_branch: Option<DeleteBranch>,
) -> Result<Workspace> {
    row.become_archiving(tx.now(), delete_branch)?;
    rows::put(tx, &row)?;
    events::workspace(tx, "workspace.archiving", &row)?;
    Ok(row)
}

fn row_and_project(store: &impl Transact, id: WorkspaceId) -> Result<(Workspace, Project)> {
    store.read(|read| {
        let row = rows::workspace(read, id)?;
        let project = rows::project(read, row.project)?;
        Ok((row, project))
    })
}

/// What archiving the workspace would lose.
///
/// # Errors
///
/// `WorkspaceNotFound`, and what reading the worktree fails with.
pub fn would_lose(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    cancel: &Cancel,
) -> Result<Lost> {
    let (row, project) = row_and_project(store, id)?;
    look(machine, &row, &project, cancel)
}

fn look(machine: &Machine, row: &Workspace, project: &Project, cancel: &Cancel) -> Result<Lost> {
    if row.checkout == Checkout::NotStarted {
        return Ok(Lost::default());
    }
    // A configuration that cannot be read hides no file: then no sync copy is left out.
    let config = config::load(machine.user_config.as_deref(), &project.path).unwrap_or_default();
    archive::lost(machine, &config, &project.path, row, cancel)
}

/// How cleaning up ended.
#[derive(Clone, Debug)]
pub struct Cleaned {
    /// The row as it now is.
    pub workspace: Workspace,
    /// What the folder held, if it could be read.
    pub lost: Option<Lost>,
    /// Why the folder was kept, if it was.
    pub kept: Option<String>,
    /// Why the branch was kept, if its deletion was asked for.
    pub branch_kept: Option<String>,
}

/// Cleans up an `archiving` workspace: stops who works on it, saves its work, removes its folder,
/// and ends it as `archived`. Does nothing in any other status. Answers with the row and the
/// report.
///
/// # Errors
///
/// `WorkspaceNotFound`; `Cancelled`, and the row stays `archiving`; the store's. A cleanup that
/// fails is no error: the row ends archived, and `kept` says why the folder stayed.
pub fn clean_up(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    cancel: &Cancel,
) -> Result<Cleaned> {
    clean_up_reporting(store, machine, id, &mut |_| (), cancel)
}

/// As [`clean_up`]; `report` is told what the folder holds as soon as that is known, which is before
/// anything is saved or removed.
///
/// # Errors
///
/// As [`clean_up`].
pub fn clean_up_reporting(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    report: &mut dyn FnMut(&Lost),
    cancel: &Cancel,
) -> Result<Cleaned> {
    let (row, _) = row_and_project(store, id)?;
    if row.status == Status::Archiving {
        stop::tell(&machine.state, id)?;
    }
    let _turn = machine.locks.workspace(&machine.state, id, cancel)?;
    stop::clear(&machine.state, id);
    let (row, project) = row_and_project(store, id)?;
    let mut cleaned = Cleaned { workspace: row, lost: None, kept: None, branch_kept: None };
    if cleaned.workspace.status != Status::Archiving {
        return Ok(cleaned);
    }
    let mut problems = Vec::new();
    match look(machine, &cleaned.workspace, &project, cancel) {
        Ok(lost) => {
            report(&lost);
            cleaned.lost = Some(lost);
        }
        Err(error @ (Error::Cancelled | Error::Store(_))) => return Err(error),
        Err(error) => problems.push(format!("the report could not be made: {}", told(&error))),
    }
    match save(store, machine, &mut cleaned, cancel) {
        Ok(()) => remove(machine, &project, &mut cleaned, cancel)?,
        Err(error @ (Error::Cancelled | Error::Store(_))) => return Err(error),
        Err(error) => cleaned.kept = Some(format!("saving failed: {}", told(&error))),
    }
    if cleaned.workspace.delete_branch.is_some() {
        cleaned.branch_kept = match &cleaned.kept {
            Some(_) => Some("the folder was kept".to_owned()),
            None => delete_branch(machine, &project, &cleaned.workspace, cancel)?,
        };
    }
    if let Some(kept) = &cleaned.kept {
        tracing::debug!(workspace = %id, kept, "the folder of an archived workspace was kept");
    }
    let report = json!({
        "lost": cleaned.lost,
        "folder": if cleaned.kept.is_some() { "kept" } else { "removed" },
        "kept": cleaned.kept,
        "branchKept": cleaned.branch_kept,
        "problems": problems,
    });
    cleaned.workspace = store.write(move |tx| {
        let mut row = rows::workspace(tx, id)?;
        if row.status == Status::Archiving {
            row.become_archived()?;
            rows::put(tx, &row)?;
            events::workspace_with(tx, "workspace.archived", &row, &report)?;
        }
        Ok::<_, Error>(row)
    })?;
    Ok(cleaned)
}

/// Saves before anything is deleted; that it is saved is durable before the next step.
fn save(
    store: &impl Transact,
    machine: &Machine,
    cleaned: &mut Cleaned,
    cancel: &Cancel,
) -> Result<()> {
    if cleaned.workspace.checkout != Checkout::Done {
        return Ok(());
    }
    let saved = match archive::save(machine, &cleaned.workspace, cancel) {
        // That git may have been killed, and the row is not archived a second time.
        Err(Error::GitFailed { .. }) => archive::save(machine, &cleaned.workspace, cancel),
        saved => saved,
    };
    let Some(saved) = saved? else { return Ok(()) };
    if let Some(lost) = &mut cleaned.lost {
        lost.saved = Some(saved.clone());
    }
    let id = cleaned.workspace.id;
    cleaned.workspace = store.write(move |tx| {
        let mut row = rows::workspace(tx, id)?;
        if row.saved.as_ref() != Some(&saved) {
            row.saved = Some(saved.clone());
            row.changed();
            rows::put(tx, &row)?;
        }
        Ok::<_, Error>(row)
    })?;
    Ok(())
}

fn remove(
    machine: &Machine,
    project: &Project,
    cleaned: &mut Cleaned,
    cancel: &Cancel,
) -> Result<()> {
    if cleaned.workspace.checkout == Checkout::NotStarted {
        return Ok(());
    }
    let key = &project.storage_key;
    match archive::remove_folder(machine, project, key, &cleaned.workspace, cancel) {
        Ok(Removed::Gone) => Ok(()),
        Ok(Removed::Kept(why)) => {
            cleaned.kept = Some(why);
            Ok(())
        }
        Err(error @ (Error::Cancelled | Error::Store(_))) => Err(error),
        Err(error) => {
            cleaned.kept = Some(told(&error));
            Ok(())
        }
    }
}

fn delete_branch(
    machine: &Machine,
    project: &Project,
    row: &Workspace,
    cancel: &Cancel,
) -> Result<Option<String>> {
    match archive::delete_branch(machine, project, row, cancel) {
        Err(error @ (Error::Cancelled | Error::Store(_))) => Err(error),
        Err(error) => Ok(Some(told(&error))),
        kept => kept,
    }
}
