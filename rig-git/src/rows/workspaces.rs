use std::path::Path;

use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::order::OrderKey;
use rig_core::store::{Read, Table, Tx};
use rig_core::workspace::{Checkout, Status, Workspace};

use super::index::{bytes, follow};
use crate::error::{Error, Result};

pub(crate) const WORKSPACES: Table<WorkspaceId, Workspace> = Table::new("git/workspaces");
pub(super) const PATHS: Table<Vec<u8>, WorkspaceId> = Table::new("git/workspace_paths");
pub(super) const NAMES: Table<(ProjectId, String), WorkspaceId> = Table::new("git/workspace_names");
pub(super) const KEYS: Table<(ProjectId, String), WorkspaceId> = Table::new("git/workspace_keys");
pub(super) const BRANCHES: Table<(ProjectId, String), WorkspaceId> =
    Table::new("git/workspace_branches");
/// A place: active ones before archived ones; the ID, since an old place may be given out again.
pub(super) type Place = ((ProjectId, bool), (OrderKey, WorkspaceId));
pub(super) const ORDER: Table<Place, WorkspaceId> = Table::new("git/workspace_order");
pub(super) const DUE: Table<(bool, WorkspaceId), WorkspaceId> = Table::new("git/workspaces_due");

pub(super) fn name_key(workspace: &Workspace) -> (ProjectId, String) {
    (workspace.project, workspace.name.folded())
}

pub(super) fn storage_key(workspace: &Workspace) -> (ProjectId, String) {
    (workspace.project, workspace.storage_key.to_lowercase())
}

pub(super) fn path_key(workspace: &Workspace) -> Vec<u8> {
    bytes(&workspace.path)
}

pub(super) fn place(workspace: &Workspace) -> Place {
    let archived = workspace.status.is_archived();
    ((workspace.project, archived), (workspace.order.clone(), workspace.id))
}

/// Where a row that work is due for stands in line.
pub(crate) fn due_key(workspace: &Workspace) -> Option<(bool, WorkspaceId)> {
    match workspace.status {
        Status::Archiving => Some((false, workspace.id)),
        Status::Initializing => Some((true, workspace.id)),
        // Git's branch is to follow a rename.
        Status::Ready | Status::Failed
            if workspace.actual_branch.is_some() && workspace.checkout == Checkout::Done =>
        {
            Some((true, workspace.id))
        }
        _ => None,
    }
}

/// The branch a row has and the one it will have.
pub(super) fn held(workspace: &Workspace) -> impl Iterator<Item = &String> {
    [Some(&workspace.branch), workspace.actual_branch.as_ref()].into_iter().flatten()
}

/// Stores a workspace with its index rows.
pub(crate) fn put(tx: &Tx<'_>, after: &Workspace) -> Result<()> {
    let before = tx.get(WORKSPACES, &after.id)?;
    let (before, id) = (before.as_ref(), &after.id);
    follow(tx, NAMES, before.map(name_key), Some(name_key(after)), id)?;
    follow(tx, KEYS, before.map(storage_key), Some(storage_key(after)), id)?;
    follow(tx, PATHS, before.map(path_key), Some(path_key(after)), id)?;
    follow(tx, ORDER, before.map(place), Some(place(after)), id)?;
    follow(tx, DUE, before.and_then(due_key), due_key(after), id)?;
    hold_branches(tx, before, after)?;
    Ok(tx.put(WORKSPACES, &after.id, after)?)
}

/// Both the branch a row has and the one it will have are held.
fn hold_branches(tx: &Tx<'_>, before: Option<&Workspace>, after: &Workspace) -> Result<()> {
    for branch in before.into_iter().flat_map(held).filter(|b| !held(after).any(|a| a == *b)) {
        tx.remove(BRANCHES, &(after.project, branch.clone()))?;
    }
    for branch in held(after) {
        if branch_holder(tx, after.project, branch)? != Some(after.id) {
            tx.put(BRANCHES, &(after.project, branch.clone()), &after.id)?;
        }
    }
    Ok(())
}

/// The workspace of this ID.
pub(crate) fn workspace(reader: &impl Read, id: WorkspaceId) -> Result<Workspace> {
    let found = reader.get(WORKSPACES, &id)?;
    found.ok_or_else(|| Error::WorkspaceNotFound { asked: id.to_string() })
}

/// The workspace whose stored path this is.
pub(crate) fn workspace_at(reader: &impl Read, path: &Path) -> Result<Option<Workspace>> {
    let id = reader.get(PATHS, &bytes(path))?;
    id.map(|id| workspace(reader, id)).transpose()
}

pub(crate) fn name_holder(
    reader: &impl Read,
    project: ProjectId,
    folded: &str,
) -> Result<Option<WorkspaceId>> {
    Ok(reader.get(NAMES, &(project, folded.to_owned()))?)
}

pub(crate) fn key_holder(
    reader: &impl Read,
    project: ProjectId,
    key: &str,
) -> Result<Option<WorkspaceId>> {
    Ok(reader.get(KEYS, &(project, key.to_lowercase()))?)
}

pub(crate) fn branch_holder(
    reader: &impl Read,
    project: ProjectId,
    branch: &str,
) -> Result<Option<WorkspaceId>> {
    Ok(reader.get(BRANCHES, &(project, branch.to_owned()))?)
}

/// The active workspaces of a project in order, or its archived ones.
pub(crate) fn workspaces(
    reader: &impl Read,
    project: ProjectId,
    archived: bool,
) -> Result<Vec<Workspace>> {
    let order = reader.beginning_with(ORDER, &(project, archived))?;
    order.into_iter().map(|(_, id)| workspace(reader, id)).collect()
}

/// The places of a project's active workspaces, in order.
pub(crate) fn places(
    reader: &impl Read,
    project: ProjectId,
) -> Result<Vec<(OrderKey, WorkspaceId)>> {
    let order = reader.beginning_with(ORDER, &(project, false))?;
    Ok(order.into_iter().map(|((_, place), _)| place).collect())
}

/// The workspaces that work is due for, oldest first: `archiving` ones, then those that are
/// `initializing` or whose branch is to follow a rename.
pub(crate) fn due(reader: &impl Read) -> Result<Vec<Workspace>> {
    let due = reader.page(DUE, .., usize::MAX)?;
    due.into_iter().map(|(_, id)| workspace(reader, id)).collect()
}
