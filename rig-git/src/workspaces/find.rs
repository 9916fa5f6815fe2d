use std::ffi::OsStr;
use std::path::Path;

use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::name::Name;
use rig_core::store::Read;
use rig_core::workspace::Workspace;

use crate::error::{Error, Result};
use crate::rows;

/// The workspace of this ID.
///
/// # Errors
///
/// `WorkspaceNotFound`.
pub fn get(reader: &impl Read, id: WorkspaceId) -> Result<Workspace> {
    rows::workspace(reader, id)
}

/// The workspaces of a project in order; archived ones too, last, if `all`.
///
/// # Errors
///
/// If the store failed.
pub fn list(reader: &impl Read, project: ProjectId, all: bool) -> Result<Vec<Workspace>> {
    let mut listed = rows::workspaces(reader, project, false)?;
    if all {
        listed.extend(rows::workspaces(reader, project, true)?);
    }
    Ok(listed)
}

/// All rows that work is due for: `archiving` ones first, then those that are `initializing` or
/// whose branch is to follow a rename.
///
/// # Errors
///
/// If the store failed.
pub fn pending(reader: &impl Read) -> Result<Vec<Workspace>> {
    rows::due(reader)
}

/// Whether work is due for this row.
#[must_use]
pub fn is_pending(workspace: &Workspace) -> bool {
    rows::due_key(workspace).is_some()
}

/// The workspace that `asked` means: an ID, a storage key, a name, a path, or `.`, the deepest
/// workspace around `folder` (absolute), whatever names there are. Keys and names are those of `project`, or of all projects
/// if there is none; active rows win over archived ones.
///
/// # Errors
///
/// `WorkspaceNotFound`, `Ambiguous`.
pub fn find(
    reader: &impl Read,
    project: Option<ProjectId>,
    asked: &OsStr,
    folder: &Path,
) -> Result<Workspace> {
    let not_found = || Error::WorkspaceNotFound { asked: asked.to_string_lossy().into_owned() };
    if let Some(Ok(id)) = asked.to_str().map(str::parse::<WorkspaceId>) {
        return rows::workspace(reader, id);
    }
    if asked == "." {
        return deepest_around(reader, folder)?.ok_or_else(not_found);
    }
    let mut fitting = Vec::new();
    if let Some(text) = asked.to_str() {
        let projects = match project {
            Some(project) => vec![project],
            None => rows::projects(reader)?.into_iter().map(|project| project.id).collect(),
        };
        let as_name = Name::new(text).ok().map(|name| name.folded());
        for project in projects {
            let by_name = as_name.as_ref().map(|name| rows::name_holder(reader, project, name));
            fitting.extend(by_name.transpose()?.flatten());
            fitting.extend(rows::key_holder(reader, project, text)?);
        }
    }
    if let Some(row) = at(reader, &folder.join(asked))? {
        fitting.push(row.id);
    }
    fitting.sort_unstable();
    fitting.dedup();
    let mut rows: Vec<_> =
        fitting.into_iter().map(|id| rows::workspace(reader, id)).collect::<Result<_>>()?;
    if rows.iter().any(|row| !row.status.is_archived()) {
        rows.retain(|row| !row.status.is_archived());
    }
    if rows.len() > 1 {
        let candidates = rows.iter().map(|row| format!("{} ({})", row.id, row.name)).collect();
        return Err(Error::Ambiguous { asked: asked.to_string_lossy().into_owned(), candidates });
    }
    rows.pop().ok_or_else(not_found)
}

/// The workspace stored for this path, as it is spelled or with its links resolved.
fn at(reader: &impl Read, path: &Path) -> Result<Option<Workspace>> {
    if let Some(row) = rows::workspace_at(reader, path)? {
        return Ok(Some(row));
    }
    match path.canonicalize() {
        Ok(real) => rows::workspace_at(reader, &real),
        Err(_) => Ok(None),
    }
}

fn deepest_around(reader: &impl Read, folder: &Path) -> Result<Option<Workspace>> {
    let real = folder.canonicalize();
    for around in real.as_deref().unwrap_or(folder).ancestors() {
        if let Some(row) = rows::workspace_at(reader, around)? {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
