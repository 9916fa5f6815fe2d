use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rig_core::id::ProjectId;
use rig_core::name::Name;
use rig_core::order::OrderKey;
use rig_core::project::{Folder, NamedBy, Project, Support};
use rig_core::slug;
use rig_core::store::{Read as _, Transact, Tx};
use rig_core::workspace::Status;

use super::name::first_name;
use super::support::{disproved, usable};
use super::trunk::trunk_of;
use crate::error::{Error, Result};
use crate::events;
use crate::machine::Machine;
use crate::rows;

/// Registers the folder at `path` (absolute), or answers with the project it is already. An
/// archived one is restored. With `id` a new project gets that ID.
///
/// The path of a ready workspace answers with the project it was cut from.
///
/// # Errors
///
/// `PathNotAbsolute`, `PathMissing`, `NotADirectory`, `PathInaccessible`; `ManagedWorkspace` for the
/// path of a workspace that is not ready; `IdConflict` if the ID or the folder belongs to another
/// project.
pub fn add(
    store: &impl Transact,
    machine: &Machine,
    path: &Path,
    id: Option<ProjectId>,
) -> Result<Project> {
    let path = real_folder(path)?;
    let of_workspace = store.read(|read| match rows::workspace_at(read, &path)? {
        Some(workspace) if workspace.status == Status::Ready => {
            rows::project(read, workspace.project).map(Some)
        }
        Some(workspace) => Err(Error::ManagedWorkspace {
            name: workspace.name.to_string(),
            status: workspace.status,
        }),
        None => Ok(None),
    })?;
    if let Some(project) = of_workspace {
        return Ok(project);
    }
    let found = Found::look(machine, path);
    store.write(move |tx| register(tx, &found, id))
}

/// The canonical path of a folder that can be read.
pub(super) fn real_folder(path: &Path) -> Result<PathBuf> {
    if !path.is_absolute() {
        return Err(Error::PathNotAbsolute { path: path.to_owned() });
    }
    let failed = |source: std::io::Error| match source.kind() {
        ErrorKind::NotFound => Error::PathMissing { path: path.to_owned() },
        ErrorKind::NotADirectory => Error::NotADirectory { path: path.to_owned() },
        _ => Error::PathInaccessible { path: path.to_owned(), source: Box::new(source) },
    };
    let real = path.canonicalize().map_err(failed)?;
    std::fs::read_dir(&real).map_err(failed)?;
    Ok(real)
}

/// What is seen at a folder before the transaction.
struct Found {
    path: PathBuf,
    name: Name,
    trunk: Option<String>,
    support: Option<Support>,
}

impl Found {
    fn look(machine: &Machine, path: PathBuf) -> Self {
        let repository = usable(&machine.git, &path);
        let support = match &repository {
            Ok(_) => Some(Support::Supported),
            Err(error) => disproved(error),
        };
        let repository = repository.ok();
        let name = first_name(repository.as_ref(), &path);
        let trunk = repository.and_then(|repository| trunk_of(&repository, None).ok().flatten());
        Self { path, name, trunk, support }
    }
}

fn register(tx: &Tx<'_>, found: &Found, id: Option<ProjectId>) -> Result<Project> {
    let there = rows::project_at(tx, &found.path)?;
    if let Some(id) = id
        && there.as_ref().is_none_or(|there| there.id != id)
    {
        if let Some(other) = tx.get(rows::PROJECTS, &id)? {
            return Err(Error::IdConflict {
                id: id.to_string(),
                field: "path",
                stored: other.path.display().to_string(),
                given: found.path.display().to_string(),
            });
        }
        if let Some(there) = there {
            return Err(Error::IdConflict {
                id: there.id.to_string(),
                field: "ID",
                stored: there.id.to_string(),
                given: id.to_string(),
            });
        }
    }
    match there {
        Some(project) => again(tx, &project, found),
        None => new(tx, found, id),
    }
}

fn new(tx: &Tx<'_>, found: &Found, id: Option<ProjectId>) -> Result<Project> {
    tx.ensure_room()?;
    let name = found
        .name
        .unique(|name| Ok::<_, Error>(rows::project_named(tx, &name.folded())?.is_some()))?;
    let slug = slug::slug(found.name.as_str(), "project");
    let first = rows::projects(tx)?.into_iter().next();
    let project = Project {
        id: id.unwrap_or_else(|| ProjectId::generate(tx.now())),
        name,
        named_by: NamedBy::Rig,
        storage_key: slug::unique(&slug, |key| {
            Ok::<_, Error>(rows::project_keyed(tx, key)?.is_some())
        })?,
        path: found.path.clone().into(),
        folder: Folder::Present,
        trunk: found.trunk.clone(),
        support: found.support.clone().unwrap_or(Support::Unknown {
            reason: "the repository cannot be read at the moment".to_owned(),
        }),
        version: 1,
        user_version: 1,
        order: OrderKey::between(None, first.as_ref().map(|first| &first.order)),
        created_at: tx.now(),
        archived_at: None,
    };
    rows::put_project(tx, &project)?;
    events::project(tx, "project.added", &project)?;
    Ok(project)
}

/// An archived project is restored, and what is known of its folder is brought up to date.
fn again(tx: &Tx<'_>, stored: &Project, found: &Found) -> Result<Project> {
    let mut project = stored.clone();
    project.folder = Folder::Present;
    if let Some(support) = &found.support {
        project.support = support.clone();
    }
    if project.trunk.is_none() {
        project.trunk.clone_from(&found.trunk);
    }
    let restored = project.archived_at.take().is_some();
    if project == *stored {
        return Ok(project);
    }
    if restored {
        project.edited();
    } else {
        project.changed();
    }
    rows::put_project(tx, &project)?;
    events::project(tx, if restored { "project.restored" } else { "project.changed" }, &project)?;
    Ok(project)
}
