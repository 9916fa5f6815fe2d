use rig_core::caller::Caller;
use rig_core::id::WorkspaceId;
use rig_core::name::Name;
use rig_core::order::OrderKey;
use rig_core::project::NamedBy;
use rig_core::slug::slug;
use rig_core::store::{Transact, Tx};
use rig_core::workspace::{Checkout, Workspace};

use super::edit::{editable, not_ready, owned};
use super::reserve::{Taken, free_branch, unique_name};
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::projects::{place_after, usable};
use crate::{events, rows};

/// Renames a workspace; its branch is to follow, by [`super::move_branch`]. The folder never moves.
///
/// A taken name gets a number. The owning agent may rename what no person has named.
///
/// # Errors
///
/// `WorkspaceNotFound`, `BadName`, `NotOwner`, `NamedByPerson`, `WorkspaceNotReady` (archiving,
/// archived), `VersionConflict`, `BranchConflict`.
pub fn rename(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    name: &str,
    caller: Caller,
    expected: Option<u64>,
) -> Result<Workspace> {
    let name = Name::new(name)?;
    let taken = taken_now(store, machine, id)?;
    store.write(move |tx| {
        let row = editable(tx, id, expected)?;
        owned(&row, caller)?;
        if row.status.is_archived() {
            return Err(not_ready(row, ": what is archived keeps its name"));
        }
        if caller != Caller::Person && row.named_by == NamedBy::Person {
            return Err(Error::NamedByPerson { name: row.name.to_string() });
        }
        let named_by = if caller == Caller::Person { NamedBy::Person } else { NamedBy::Agent };
        renamed(tx, row, &name, named_by, &taken)
    })
}

/// What names are taken around a workspace, read just before the transaction that gives it another
/// one.
#[derive(Debug)]
pub struct TakenNames(Taken);

impl TakenNames {
    /// What is taken around this workspace.
    ///
    /// # Errors
    ///
    /// `WorkspaceNotFound`; if the repository or the folder cannot be read.
    pub fn around(store: &impl Transact, machine: &Machine, id: WorkspaceId) -> Result<Self> {
        taken_now(store, machine, id).map(Self)
    }
}

/// Gives a workspace that still has its placeholder the title of the first conversation in it; its
/// branch is to follow, by [`super::move_branch`]. A workspace that was named keeps its name.
///
/// # Errors
///
/// `WorkspaceNotFound`, `BranchConflict`. A title that cannot be a name is made fit for one; if
/// nothing is left of it, the placeholder stays.
pub fn take_title(
    tx: &Tx<'_>,
    id: WorkspaceId,
    title: &str,
    taken: &TakenNames,
) -> Result<Workspace> {
    let row = rows::workspace(tx, id)?;
    let placeholder = row.named_by == NamedBy::Rig && !row.status.is_archived();
    match Name::from_untrusted(title).filter(|_| placeholder) {
        Some(name) => renamed(tx, row, &name, NamedBy::Agent, &taken.0),
        None => Ok(row),
    }
}

/// The branches and folders that there are, read just before the transaction.
fn taken_now(store: &impl Transact, machine: &Machine, id: WorkspaceId) -> Result<Taken> {
    let (row, project) = store.read(|read| {
        let row = rows::workspace(read, id)?;
        let project = rows::project(read, row.project)?;
        Ok::<_, Error>((row, project))
    })?;
    let repository = usable(&machine.git, &project.path).ok();
    Taken::read(repository.as_ref(), row.path.parent().unwrap_or(&row.path))
}

fn renamed(
    tx: &Tx<'_>,
    mut row: Workspace,
    name: &Name,
    named_by: NamedBy,
    taken: &Taken,
) -> Result<Workspace> {
    let id = row.id;
    let project = rows::project(tx, row.project)?;
    let name = unique_name(tx, &project, name, Some(id))?;
    if row.name == name && row.named_by == named_by {
        return Ok(row);
    }
    let other_slug = slug(name.as_str(), "workspace") != slug(row.name.as_str(), "workspace");
    row.name = name;
    row.named_by = named_by;
    if other_slug && !row.branch_given {
        let has = row.actual_branch.clone().unwrap_or_else(|| row.branch.clone());
        let has = (row.checkout != Checkout::NotStarted).then_some(has);
        row.branch = free_branch(tx, &project, &row.name, taken, id, has.as_deref())?;
        row.actual_branch = has.filter(|has| *has != row.branch);
    }
    row.edited();
    rows::put(tx, &row)?;
    events::workspace(tx, "workspace.renamed", &row)?;
    Ok(row)
}

/// Puts a workspace first in its project's list, or after another one.
///
/// # Errors
///
/// `WorkspaceNotFound`, also if `after` is not in the list; `VersionConflict`.
pub fn reorder(
    store: &impl Transact,
    id: WorkspaceId,
    after: Option<WorkspaceId>,
    expected: Option<u64>,
) -> Result<Workspace> {
    store.write(move |tx| {
        let mut row = editable(tx, id, expected)?;
        if row.status.is_archived() {
            return Err(not_ready(row, ": what is archived is on no list"));
        }
        let mut others = rows::places(tx, row.project)?;
        others.retain(|(_, other)| *other != id);
        row.order = match after {
            _ if after == Some(id) => return Ok(row),
            Some(after) => place_after(&others, &after)
                .ok_or_else(|| Error::WorkspaceNotFound { asked: after.to_string() })?,
            None => OrderKey::between(None, others.first().map(|(order, _)| order)),
        };
        row.edited();
        rows::put(tx, &row)?;
        events::workspace(tx, "workspace.moved", &row)?;
        Ok(row)
    })
}
