use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::project::Project;
use rig_core::workspace::Workspace;

use super::checkout::{Checkout, Found};
use super::removing;
use crate::error::{Error, Result, told};
use crate::git::retry_while_locked;
use crate::machine::Machine;
use crate::repository::Repository;
use crate::tree;
use crate::turns::Turn;

/// How long a worktree's removal may take.
const REMOVAL: Duration = Duration::from_mins(30);

/// What cleaning up did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Removed {
    /// Folder and entry are gone.
    Gone,
    /// The folder was kept, and why.
    Kept(String),
}

/// Removes the workspace's folder and git's entry of it, under the turn of its common folder. What
/// is not provably ours is kept.
///
/// # Errors
///
/// `Cancelled`, what waiting for the turn fails with, and the store's, if it cannot be noted what is
/// being deleted.
pub(crate) fn remove_folder(
    machine: &Machine,
    project: &Project,
    project_key: &str,
    workspace: &Workspace,
    cancel: &Cancel,
) -> Result<Removed> {
    if let Some(why) = misplaced(project_key, workspace) {
        return Ok(Removed::Kept(why));
    }
    match repository_of(machine, project, workspace) {
        Whose::Recorded => {
            let turn = machine.locks.worktrees(&workspace.common_dir, cancel)?;
            remove_checkout(machine, &project.path, workspace, &turn, cancel)
        }
        Whose::Nobodys => remove_orphan(machine, workspace),
        Whose::Unclear(why) => match fs::symlink_metadata(&workspace.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Removed::Gone),
            _ => Ok(Removed::Kept(why)),
        },
    }
}

/// Removes what there is of the workspace's checkout and git's entry of it, however far it came,
/// from within `project`, any worktree of its repository. The caller has the turn.
///
/// # Errors
///
/// `Cancelled`; the store's, if it cannot be noted what is being deleted.
pub(crate) fn remove_checkout(
    machine: &Machine,
    project: &Path,
    workspace: &Workspace,
    turn: &Turn,
    cancel: &Cancel,
) -> Result<Removed> {
    let entry = match Found::look(machine, workspace) {
        Ok(Found::Ours(checkout)) => Some(checkout),
        Ok(Found::Missing(entry) | Found::Empty(entry) | Found::Rest(entry)) => entry,
        Ok(Found::NotOurs(why)) => return Ok(Removed::Kept(why)),
        Err(error) => return Ok(Removed::Kept(told(&error))),
    };
    let removal = Removal { machine, project, workspace, turn, cancel, entry };
    match removal.run() {
        Err(error @ (Error::Cancelled | Error::Store(_))) => Err(error),
        Err(error) => Ok(Removed::Kept(told(&error))),
        Ok(()) => Ok(Removed::Gone),
    }
}

/// The removal of a folder that is the workspace's own.
struct Removal<'a> {
    machine: &'a Machine,
    project: &'a Path,
    workspace: &'a Workspace,
    turn: &'a Turn,
    cancel: &'a Cancel,
    entry: Option<Checkout>,
}

impl Removal<'_> {
    fn run(&self) -> Result<()> {
        note_removal(self.machine, self.workspace)?;
        if let Some(entry) = &self.entry
            && entry.is_begun()?
        {
            tree::remove(&entry.git_dir)?;
        }
        let refused = match self.by_git() {
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            done => done.err(),
        };
        // git deletes its entry even if it could not delete all of the folder.
        tree::remove(&self.workspace.path)?;
        if let Some(refused) = refused
            && self.entry_is_there()
        {
            tracing::debug!(%refused, "git left its entry of a removed worktree");
            let common_dir = &self.workspace.common_dir;
            retry_while_locked(common_dir, &[], self.cancel, || self.by_git())?;
        }
        removing::end(&self.machine.state, self.workspace.id)
    }

    fn by_git(&self) -> Result<()> {
        if !self.entry_is_there() {
            return Ok(());
        }
        let git = &self.machine.git;
        git.write(self.project)
            .args(["worktree", "remove", "--force", "--force", "--"])
            .arg(self.workspace.path.as_os_str())
            .holding(self.turn.file())
            .limit(REMOVAL)
            .succeed(self.cancel)
            .map(drop)
    }

    fn entry_is_there(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.git_dir.symlink_metadata().is_ok())
    }
}

/// Deletes the tree of a workspace whose project and repository are both gone.
fn remove_orphan(machine: &Machine, workspace: &Workspace) -> Result<Removed> {
    let delete = || {
        match Found::look(machine, workspace)? {
            Found::Missing(_) => return Ok(Removed::Gone),
            Found::Empty(_) | Found::Rest(_) => {}
            Found::Ours(_) => return Ok(Removed::Kept("its repository has come back".into())),
            Found::NotOurs(why) => return Ok(Removed::Kept(why)),
        }
        note_removal(machine, workspace)?;
        tree::remove(&workspace.path)?;
        removing::end(&machine.state, workspace.id)?;
        Ok(Removed::Gone)
    };
    match delete() {
        Err(error @ Error::Store(_)) => Err(error),
        other => Ok(other.unwrap_or_else(|error| Removed::Kept(told(&error)))),
    }
}

/// Notes that what lies at the workspace's path is for deletion, if it is a folder without `.git`.
///
/// A `git worktree add` that is told to end removes what it made while its own child may still write,
/// and nothing in the folder tells then whose it is. Whoever started that git on an empty path, and
/// has seen all of its group end, knows.
///
/// # Errors
///
/// If it cannot be noted.
pub(crate) fn note_rest(machine: &Machine, workspace: &Workspace) -> Result<()> {
    match fs::symlink_metadata(workspace.path.join(".git")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => note_removal(machine, workspace),
        _ => Ok(()),
    }
}

/// Notes that the workspace's folder is being deleted, if it is there.
fn note_removal(machine: &Machine, workspace: &Workspace) -> Result<()> {
    match fs::symlink_metadata(&workspace.path) {
        Ok(folder) => removing::begin(&machine.state, workspace.id, &folder),
        Err(_) => Ok(()),
    }
}

/// Why the workspace's path is none that Rig would have made; none if it is.
fn misplaced(project_key: &str, workspace: &Workspace) -> Option<String> {
    let keys = [project_key, &workspace.storage_key];
    if let Some(key) = keys.iter().find(|key| !is_key(key)) {
        return Some(format!("{key:?} is no storage key"));
    }
    let mut last = workspace.path.components().rev().map(Component::as_os_str);
    let ends = [last.next(), last.next()];
    if ends == [Some(OsStr::new(keys[1])), Some(OsStr::new(keys[0]))] {
        None
    } else {
        Some(format!("its path does not end with {}/{}", keys[0], keys[1]))
    }
}

/// `^[a-z0-9]([a-z0-9-]{0,46}[a-z0-9])?$`
fn is_key(key: &str) -> bool {
    let bytes = key.as_bytes();
    let letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=48).contains(&bytes.len())
        && bytes.iter().all(|byte| letter(byte) || *byte == b'-')
        && bytes.first().is_some_and(letter)
        && bytes.last().is_some_and(letter)
}

/// Whose the recorded common folder is.
enum Whose {
    /// The project's.
    Recorded,
    /// It is gone, and so is the project.
    Nobodys,
    /// Something else, or it cannot be told, and why.
    Unclear(String),
}

fn repository_of(machine: &Machine, project: &Project, workspace: &Workspace) -> Whose {
    let there = |path: &Path| match fs::metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Whose::Unclear(format!("cannot look at {}: {error}", path.display()))),
    };
    match (there(&project.path), there(&workspace.common_dir)) {
        (Err(unclear), _) | (_, Err(unclear)) => unclear,
        (Ok(false), Ok(false)) => Whose::Nobodys,
        (Ok(false), Ok(true)) => Whose::Unclear(format!(
            "the project's folder {} is gone, and its repository is there",
            project.path.display()
        )),
        (Ok(true), _) => match Repository::discover(&machine.git, &project.path) {
            Ok(Some(found)) if found.common_dir() == &*workspace.common_dir => Whose::Recorded,
            Ok(_) => Whose::Unclear(format!(
                "the project's repository is not the recorded {}",
                workspace.common_dir.display()
            )),
            Err(error) => Whose::Unclear(told(&error)),
        },
    }
}
