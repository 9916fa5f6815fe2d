use std::ffi::OsStr;
use std::path::Path;

use rig_core::id::ProjectId;
use rig_core::project::Project;
use rig_core::store::Transact;

use super::add::{add, real_folder};
use super::find::deepest_around;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::repository::Repository;
use crate::rows;

/// The project that a command in `folder` (absolute) means: exactly the one of `selector` (an ID or
/// a folder), else the project of the workspace the folder is in, else the deepest registered
/// project it is in, else the top level of its repository. A repository that is not registered is
/// registered, and an archived project restored.
///
/// # Errors
///
/// `ProjectNotFound` for an unknown ID; `NotAGitProject` if the folder is in no project and no
/// repository; as [`add`].
pub fn meant(
    store: &impl Transact,
    machine: &Machine,
    folder: &Path,
    selector: Option<&OsStr>,
) -> Result<Project> {
    if let Some(selector) = selector {
        return match selector.to_str().map(str::parse::<ProjectId>) {
            Some(Ok(id)) => store.read(|read| rows::project(read, id)),
            _ => registered_or_added(store, machine, &real_folder(&folder.join(selector))?),
        };
    }
    let folder = real_folder(folder)?;
    let known = store.read(|read| deepest_around(read, &folder))?;
    match known {
        Some(project) if project.archived_at.is_none() => Ok(project),
        Some(project) => add(store, machine, &project.path, None),
        None => match Repository::discover(&machine.git, &folder)? {
            Some(repository) => {
                let top = repository.top_level().unwrap_or(repository.git_dir());
                add(store, machine, top, None)
            }
            None => Err(Error::NotAGitProject {
                found: "the folder is in no Git repository and in no project".to_owned(),
            }),
        },
    }
}

fn registered_or_added(store: &impl Transact, machine: &Machine, path: &Path) -> Result<Project> {
    match store.read(|read| rows::project_at(read, path))? {
        Some(project) if project.archived_at.is_none() => Ok(project),
        _ => add(store, machine, path, None),
    }
}
