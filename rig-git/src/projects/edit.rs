use rig_core::caller::Caller;
use rig_core::id::ProjectId;
use rig_core::name::Name;
use rig_core::order::OrderKey;
use rig_core::project::{NamedBy, Project};
use rig_core::store::{Read, Transact, Tx};
use rig_core::workspace::Workspace;

use crate::error::{Error, Result, Row};
use crate::{events, rows};

/// All projects in order; archived ones too if `all`.
///
/// # Errors
///
/// If the store failed.
pub fn list(reader: &impl Read, all: bool) -> Result<Vec<Project>> {
    let mut projects = rows::projects(reader)?;
    projects.retain(|project| all || project.archived_at.is_none());
    Ok(projects)
}

/// The project of this ID.
///
/// # Errors
///
/// `ProjectNotFound`.
pub fn get(reader: &impl Read, id: ProjectId) -> Result<Project> {
    rows::project(reader, id)
}

/// Renames a project; a taken name gets a number.
///
/// # Errors
///
/// `ProjectNotFound`, `VersionConflict`; `NamedByPerson` if an agent renames what the person named.
pub fn rename(
    store: &impl Transact,
    id: ProjectId,
    name: Name,
    caller: Caller,
    expected: Option<u64>,
) -> Result<Project> {
    store.write(move |tx| {
        let mut project = editable(tx, id, expected)?;
        if caller != Caller::Person && project.named_by == NamedBy::Person {
            return Err(Error::NamedByPerson { name: project.name.to_string() });
        }
        let name = name.unique(|name| {
            let holder = rows::project_named(tx, &name.folded())?;
            Ok::<_, Error>(holder.is_some_and(|holder| holder != id))
        })?;
        let named_by = if caller == Caller::Person { NamedBy::Person } else { NamedBy::Agent };
        if project.name == name && project.named_by == named_by {
            return Ok(project);
        }
        project.name = name;
        project.named_by = named_by;
        project.edited();
        rows::put_project(tx, &project)?;
        events::project(tx, "project.changed", &project)?;
        Ok(project)
    })
}

/// Puts a project first in the list, or after another one.
///
/// # Errors
///
/// `ProjectNotFound`, `VersionConflict`.
pub fn reorder(
    store: &impl Transact,
    id: ProjectId,
    after: Option<ProjectId>,
    expected: Option<u64>,
) -> Result<Project> {
    store.write(move |tx| {
        let mut project = editable(tx, id, expected)?;
        let others: Vec<_> = rows::projects(tx)?
            .into_iter()
            .filter(|other| other.id != id)
            .map(|other| (other.order, other.id))
            .collect();
        project.order = match after {
            _ if after == Some(id) => return Ok(project),
            Some(after) => place_after(&others, &after)
                .ok_or_else(|| Error::ProjectNotFound { asked: after.to_string() })?,
            None => OrderKey::between(None, others.first().map(|(order, _)| order)),
        };
        project.edited();
        rows::put_project(tx, &project)?;
        events::project(tx, "project.changed", &project)?;
        Ok(project)
    })
}

/// The place right after the row `after`; none if it is not in the list.
pub(crate) fn place_after<I: PartialEq>(rows: &[(OrderKey, I)], after: &I) -> Option<OrderKey> {
    let at = rows.iter().position(|(_, id)| id == after)?;
    let next = rows.get(at + 1).map(|(order, _)| order);
    Some(OrderKey::between(Some(&rows[at].0), next))
}

/// Archives a project's workspaces, then the project. The workspaces that are returned are due for
/// [`crate::workspaces::clean_up`]. Repeated, it changes nothing.
///
/// # Errors
///
/// `ProjectNotFound`, `VersionConflict`.
pub fn archive(
    store: &impl Transact,
    id: ProjectId,
    expected: Option<u64>,
) -> Result<(Project, Vec<Workspace>)> {
    store.write(move |tx| {
        let project = rows::project(tx, id)?;
        if project.archived_at.is_some() {
            return Ok((project, Vec::new())); // Before the version: that grew by archiving it.
        }
        let mut project = editable(tx, id, expected)?;
        let mut due = Vec::new();
        for workspace in rows::workspaces(tx, id, false)? {
            due.push(crate::workspaces::archive_row(tx, workspace, None)?);
        }
        project.archived_at = Some(tx.now());
        project.edited();
        rows::put_project(tx, &project)?;
        events::project(tx, "project.archived", &project)?;
        Ok((project, due))
    })
}

/// The project, unless it was edited since the caller looked.
fn editable(tx: &Tx<'_>, id: ProjectId, expected: Option<u64>) -> Result<Project> {
    let project = rows::project(tx, id)?;
    match expected {
        Some(expected) if !project.accepts(Some(expected)) => Err(Error::VersionConflict {
            what: id.to_string(),
            expected,
            version: project.version,
            user_version: project.user_version,
            row: Row::Project(Box::new(project)),
        }),
        _ => Ok(project),
    }
}
