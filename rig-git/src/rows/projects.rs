use std::path::Path;

use rig_core::id::ProjectId;
use rig_core::order::OrderKey;
use rig_core::project::Project;
use rig_core::store::{Read, Table, Tx};

use super::index::{bytes, follow};
use crate::error::{Error, Result};

pub(crate) const PROJECTS: Table<ProjectId, Project> = Table::new("git/projects");
pub(super) const PATHS: Table<Vec<u8>, ProjectId> = Table::new("git/project_paths");
pub(super) const NAMES: Table<String, ProjectId> = Table::new("git/project_names");
pub(super) const KEYS: Table<String, ProjectId> = Table::new("git/project_keys");
pub(super) const ORDER: Table<(OrderKey, ProjectId), ProjectId> = Table::new("git/project_order");

pub(super) fn path_key(project: &Project) -> Vec<u8> {
    bytes(&project.path)
}

pub(super) fn name_key(project: &Project) -> String {
    project.name.folded()
}

pub(super) fn storage_key(project: &Project) -> String {
    project.storage_key.clone()
}

pub(super) fn place(project: &Project) -> (OrderKey, ProjectId) {
    (project.order.clone(), project.id)
}

/// Stores a project with its index rows.
pub(crate) fn put_project(tx: &Tx<'_>, after: &Project) -> Result<()> {
    let before = tx.get(PROJECTS, &after.id)?;
    let (before, id) = (before.as_ref(), &after.id);
    follow(tx, PATHS, before.map(path_key), Some(path_key(after)), id)?;
    follow(tx, NAMES, before.map(name_key), Some(name_key(after)), id)?;
    follow(tx, KEYS, before.map(storage_key), Some(storage_key(after)), id)?;
    follow(tx, ORDER, before.map(place), Some(place(after)), id)?;
    Ok(tx.put(PROJECTS, &after.id, after)?)
}

/// The project of this ID.
pub(crate) fn project(reader: &impl Read, id: ProjectId) -> Result<Project> {
    let found = reader.get(PROJECTS, &id)?;
    found.ok_or_else(|| Error::ProjectNotFound { asked: id.to_string() })
}

/// The project whose canonical path this is.
pub(crate) fn project_at(reader: &impl Read, path: &Path) -> Result<Option<Project>> {
    let id = reader.get(PATHS, &bytes(path))?;
    id.map(|id| project(reader, id)).transpose()
}

pub(crate) fn project_named(reader: &impl Read, folded: &str) -> Result<Option<ProjectId>> {
    Ok(reader.get(NAMES, &folded.to_owned())?)
}

pub(crate) fn project_keyed(reader: &impl Read, key: &str) -> Result<Option<ProjectId>> {
    Ok(reader.get(KEYS, &key.to_owned())?)
}

/// All projects in order.
pub(crate) fn projects(reader: &impl Read) -> Result<Vec<Project>> {
    let order = reader.page(ORDER, .., usize::MAX)?;
    order.into_iter().map(|(_, id)| project(reader, id)).collect()
}
