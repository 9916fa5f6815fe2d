use std::ffi::OsStr;
use std::path::Path;

use rig_core::id::ProjectId;
use rig_core::name::Name;
use rig_core::project::Project;
use rig_core::store::Read;

use crate::error::{Error, Result};
use crate::rows;

/// The project that `asked` means: an ID, a folder (relative to `folder`, which is absolute), a name
/// or a storage key; `.` is the project around `folder`. Active projects win over archived ones.
///
/// # Errors
///
/// `ProjectNotFound`, `Ambiguous`.
pub fn find(reader: &impl Read, asked: &OsStr, folder: &Path) -> Result<Project> {
    let unknown = || Error::ProjectNotFound { asked: asked.to_string_lossy().into_owned() };
    if let Some(Ok(id)) = asked.to_str().map(str::parse::<ProjectId>) {
        return rows::project(reader, id);
    }
    if asked == "." {
        return around(reader, folder)?.ok_or_else(unknown);
    }
    let typed = folder.join(asked);
    let real = typed.canonicalize().unwrap_or_else(|_| typed.clone());
    for path in [&typed, &real] {
        if let Some(project) = rows::project_at(reader, path)? {
            return Ok(project);
        }
    }
    let text = asked.to_str().ok_or_else(unknown)?;
    let named = match Name::new(text) {
        Ok(name) => rows::project_named(reader, &name.folded())?,
        Err(_) => None,
    };
    let keyed = rows::project_keyed(reader, text)?.filter(|keyed| Some(*keyed) != named);
    let fitting = named.into_iter().chain(keyed).map(|id| rows::project(reader, id));
    let mut fitting: Vec<_> = fitting.collect::<Result<_>>()?;
    if fitting.iter().any(|project| project.archived_at.is_none()) {
        fitting.retain(|project| project.archived_at.is_none());
    }
    if fitting.len() > 1 {
        let candidates = fitting.iter().map(|p| format!("{} ({})", p.id, p.name)).collect();
        return Err(Error::Ambiguous { asked: text.to_owned(), candidates });
    }
    fitting.pop().ok_or_else(unknown)
}

/// The project that `folder` (absolute, real) is in: that of the workspace it is in, else the deepest
/// one around it. None if that one is archived.
///
/// # Errors
///
/// If the store failed.
pub fn around(reader: &impl Read, folder: &Path) -> Result<Option<Project>> {
    let found = deepest_around(reader, folder)?;
    Ok(found.filter(|project| project.archived_at.is_none()))
}

/// As [`around`], archived or not.
pub(super) fn deepest_around(reader: &impl Read, folder: &Path) -> Result<Option<Project>> {
    for around in folder.ancestors() {
        if let Some(workspace) = rows::workspace_at(reader, around)?
            && !workspace.status.is_archived()
        {
            return rows::project(reader, workspace.project).map(Some);
        }
    }
    for around in folder.ancestors() {
        if let Some(project) = rows::project_at(reader, around)? {
            return Ok(Some(project));
        }
    }
    Ok(None)
}
