//! The tables of projects and workspaces, and the index rows that go with each record.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::order::OrderKey;
use rig_core::project::Project;
use rig_core::store::{Key, Read, Record, Table, Tx};
use rig_core::workspace::{Status, Workspace};

use crate::error::{Error, Result};

pub(crate) const PROJECTS: Table<ProjectId, Project> = Table::new("git/projects");
const PROJECT_PATHS: Table<Vec<u8>, ProjectId> = Table::new("git/project_paths");
const PROJECT_NAMES: Table<String, ProjectId> = Table::new("git/project_names");
const PROJECT_KEYS: Table<String, ProjectId> = Table::new("git/project_keys");
const PROJECT_ORDER: Table<(OrderKey, ProjectId), ProjectId> = Table::new("git/project_order");

pub(crate) const WORKSPACES: Table<WorkspaceId, Workspace> = Table::new("git/workspaces");
const PATHS: Table<Vec<u8>, WorkspaceId> = Table::new("git/workspace_paths");
const NAMES: Table<(ProjectId, String), WorkspaceId> = Table::new("git/workspace_names");
const KEYS: Table<(ProjectId, String), WorkspaceId> = Table::new("git/workspace_keys");
const BRANCHES: Table<(ProjectId, String), WorkspaceId> = Table::new("git/workspace_branches");
/// A place: active ones before archived ones; the ID, since an old place may be given out again.
type Place = ((ProjectId, bool), (OrderKey, WorkspaceId));
const ORDER: Table<Place, WorkspaceId> = Table::new("git/workspace_order");
const DUE: Table<(bool, WorkspaceId), WorkspaceId> = Table::new("git/workspaces_due");

/// Moves an index row from where `before` has it to where `after` does.
fn follow<K: Key + PartialEq, V: Record>(
    tx: &Tx<'_>,
    table: Table<K, V>,
    before: Option<K>,
    after: Option<K>,
    value: &V,
) -> Result<()> {
    if before != after {
        if let Some(before) = before {
            tx.remove(table, &before)?;
        }
        if let Some(after) = after {
            tx.put(table, &after, value)?;
        }
    }
    Ok(())
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// Stores a project with its index rows.
pub(crate) fn put_project(tx: &Tx<'_>, after: &Project) -> Result<()> {
    let before = tx.get(PROJECTS, &after.id)?;
    let both = |key: fn(&Project) -> Vec<u8>| (before.as_ref().map(key), Some(key(after)));
    let (from, to) = both(|p| bytes(&p.path));
    follow(tx, PROJECT_PATHS, from, to, &after.id)?;
    let from = before.as_ref().map(|p| p.name.folded());
    follow(tx, PROJECT_NAMES, from, Some(after.name.folded()), &after.id)?;
    let from = before.as_ref().map(|p| p.storage_key.clone());
    follow(tx, PROJECT_KEYS, from, Some(after.storage_key.clone()), &after.id)?;
    let place = |p: &Project| (p.order.clone(), p.id);
    follow(tx, PROJECT_ORDER, before.as_ref().map(place), Some(place(after)), &after.id)?;
    Ok(tx.put(PROJECTS, &after.id, after)?)
}

/// The project of this ID.
pub(crate) fn project(reader: &impl Read, id: ProjectId) -> Result<Project> {
    let found = reader.get(PROJECTS, &id)?;
    found.ok_or_else(|| Error::ProjectNotFound { asked: id.to_string() })
}

/// The project whose canonical path this is.
pub(crate) fn project_at(reader: &impl Read, path: &Path) -> Result<Option<Project>> {
    let id = reader.get(PROJECT_PATHS, &bytes(path))?;
    id.map(|id| project(reader, id)).transpose()
}

pub(crate) fn project_named(reader: &impl Read, folded: &str) -> Result<Option<ProjectId>> {
    Ok(reader.get(PROJECT_NAMES, &folded.to_owned())?)
}

pub(crate) fn project_keyed(reader: &impl Read, key: &str) -> Result<Option<ProjectId>> {
    Ok(reader.get(PROJECT_KEYS, &key.to_owned())?)
}

/// All projects in order.
pub(crate) fn projects(reader: &impl Read) -> Result<Vec<Project>> {
    let order = reader.page(PROJECT_ORDER, .., usize::MAX)?;
    order.into_iter().map(|(_, id)| project(reader, id)).collect()
}

/// Stores a workspace with its index rows.
pub(crate) fn put(tx: &Tx<'_>, after: &Workspace) -> Result<()> {
    let before = tx.get(WORKSPACES, &after.id)?;
    let before = before.as_ref();
    let named = |w: &Workspace| (w.project, w.name.folded());
    follow(tx, NAMES, before.map(named), Some(named(after)), &after.id)?;
    let keyed = |w: &Workspace| (w.project, w.storage_key.to_lowercase());
    follow(tx, KEYS, before.map(keyed), Some(keyed(after)), &after.id)?;
    follow(tx, PATHS, before.map(|w| bytes(&w.path)), Some(bytes(&after.path)), &after.id)?;
    let place = |w: &Workspace| ((w.project, w.status.is_archived()), (w.order.clone(), w.id));
    follow(tx, ORDER, before.map(place), Some(place(after)), &after.id)?;
    let due = |w: &Workspace| match w.status {
        Status::Archiving => Some((false, w.id)),
        Status::Initializing => Some((true, w.id)),
        Status::Ready | Status::Failed if w.actual_branch.is_some() => Some((true, w.id)),
        _ => None,
    };
    follow(tx, DUE, before.and_then(due), due(after), &after.id)?;
    hold_branches(tx, before, after)?;
    Ok(tx.put(WORKSPACES, &after.id, after)?)
}

/// Both the branch a row has and the one it will have are held.
fn hold_branches(tx: &Tx<'_>, before: Option<&Workspace>, after: &Workspace) -> Result<()> {
    fn held(workspace: &Workspace) -> impl Iterator<Item = &String> {
        [Some(&workspace.branch), workspace.actual_branch.as_ref()].into_iter().flatten()
    }
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
