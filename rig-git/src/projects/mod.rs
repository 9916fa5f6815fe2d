//! Projects: folders Rig has been pointed at.

use std::ffi::OsStr;
use std::path::Path;

use rig_core::caller::Caller;
use rig_core::id::ProjectId;
use rig_core::name::Name;
use rig_core::project::Project;
use rig_core::store::{Read, Transact};
use rig_core::workspace::Workspace;

use crate::error::Result;
use crate::machine::Machine;

/// Registers the folder at `path` (absolute), or answers with the project it is already. An
/// archived one is restored. With `id` the project gets that ID.
///
/// # Errors
///
/// `PathNotAbsolute`, `PathMissing`, `NotADirectory`, `PathInaccessible`, `ManagedWorkspace`,
/// `IdConflict`.
pub fn add(
    store: &impl Transact,
    machine: &Machine,
    path: &Path,
    id: Option<ProjectId>,
) -> Result<Project> {
    let _ = (store, machine, path, id);
    todo!()
}

/// The project that a command in `folder` (absolute) means: exactly the one of `selector` (an ID or
/// a folder), else the project of the workspace the folder is in, else the deepest registered
/// project it is in, else the top level of its repository, which is then registered.
///
/// # Errors
///
/// `ProjectNotFound`; as [`add`].
pub fn meant(
    store: &impl Transact,
    machine: &Machine,
    folder: &Path,
    selector: Option<&OsStr>,
) -> Result<Project> {
    let _ = (store, machine, folder, selector);
    todo!()
}

/// All projects in order; archived ones too if `all`.
///
/// # Errors
///
/// If the store failed.
pub fn list(reader: &impl Read, all: bool) -> Result<Vec<Project>> {
    let _ = (reader, all);
    todo!()
}

/// The project of this ID.
///
/// # Errors
///
/// `ProjectNotFound`.
pub fn get(reader: &impl Read, id: ProjectId) -> Result<Project> {
    let _ = (reader, id);
    todo!()
}

/// Renames a project; a taken name gets a number.
///
/// # Errors
///
/// `ProjectNotFound`, `VersionConflict`.
pub fn rename(
    store: &impl Transact,
    id: ProjectId,
    name: Name,
    caller: Caller,
    expected: Option<u64>,
) -> Result<Project> {
    let _ = (store, id, name, caller, expected);
    todo!()
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
    let _ = (store, id, after, expected);
    todo!()
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
    let _ = (store, id, expected);
    todo!()
}
