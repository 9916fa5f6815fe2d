use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::workspace::{Checkout as Progress, Workspace};

use super::index::quiet;
use super::removing;
use crate::error::{Error, Result};
use crate::git::{Call, Git};
use crate::machine::Machine;
use crate::repository::{Linked, entry_target, gitfile_target, linked};

/// How long git may take to look at all of a checkout, or to save or restore it.
pub(super) const LIMIT: Duration = Duration::from_mins(10);

/// A checkout that is provably the workspace's own, or the entry that is left of it.
#[derive(Debug)]
pub(super) struct Checkout {
    /// Its top level, which is gone if only the entry is left.
    pub(super) folder: PathBuf,
    /// Its administrative folder, the entry.
    pub(super) git_dir: PathBuf,
    /// The folder that holds refs and objects of all worktrees.
    pub(super) common_dir: PathBuf,
}

/// What there is at a workspace's path.
#[derive(Debug)]
pub(super) enum Found {
    /// The workspace's own checkout: its `.git` and an entry of the recorded common folder name
    /// each other.
    Ours(Checkout),
    /// Nothing, and the entry that names the path, if there is one.
    Missing(Option<Checkout>),
    /// An empty folder, and the entry that names it, if there is one.
    Empty(Option<Checkout>),
    /// What is left of the workspace's own checkout by a removal that was interrupted, or when its
    /// whole repository is gone; and the entry, if there is one. What is missing in it was deleted
    /// by nobody but us.
    Rest(Option<Checkout>),
    /// Anything else, and why it is not taken for the workspace's own.
    NotOurs(String),
}

impl Found {
    /// Looks at the workspace's path, once no git is deleting it any more: one that was started by
    /// a process that was killed goes on, and has the turn.
    ///
    /// # Errors
    ///
    /// As [`Found::look`]; `Cancelled`.
    pub(super) fn settled(
        machine: &Machine,
        workspace: &Workspace,
        cancel: &Cancel,
    ) -> Result<Self> {
        match Self::look(machine, workspace)? {
            Self::Missing(Some(_)) | Self::Empty(Some(_)) | Self::Rest(Some(_)) => {
                drop(machine.locks.worktrees(&workspace.common_dir, cancel)?);
                Self::look(machine, workspace)
            }
            found => Ok(found),
        }
    }

    /// Looks at the workspace's path.
    ///
    /// # Errors
    ///
    /// `PathInaccessible` if that proves nothing.
    pub(super) fn look(machine: &Machine, workspace: &Workspace) -> Result<Self> {
        let folder: &Path = &workspace.path;
        let failed = |source: io::Error| Error::PathInaccessible {
            path: folder.to_path_buf(),
            source: source.into(),
        };
        let found = match fs::symlink_metadata(folder) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self::Missing(entry_of(workspace)?));
            }
            Err(error) => return Err(failed(error)),
        };
        let not_ours = |why: &str| Ok(Self::NotOurs(why.to_owned()));
        if !found.is_dir() {
            return not_ours("it is not a folder");
        }
        if fs::canonicalize(folder).map_err(failed)? != folder {
            return not_ours("a folder above it is a link now");
        }
        if workspace.checkout == Progress::NotStarted {
            return not_ours("nothing of the workspace was made there");
        }
        let is_rest = removing::is_under_way(&machine.state, workspace.id, &found);
        match fs::symlink_metadata(folder.join(".git")) {
            Ok(git) if git.is_file() => {
                let common_dir: &Path = &workspace.common_dir;
                if let Linked::Ours { git_dir } = linked(folder, common_dir)? {
                    let checkout = Checkout::new(folder, git_dir, common_dir);
                    Ok(if is_rest { Self::Rest(Some(checkout)) } else { Self::Ours(checkout) })
                } else if is_rest || outlived(folder, common_dir)? {
                    Ok(Self::Rest(entry_of(workspace)?))
                } else {
                    not_ours("its .git and an entry of the repository do not name each other")
                }
            }
            Ok(_) => not_ours("it is a repository of its own"),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if fs::read_dir(folder).map_err(failed)?.next().is_none() {
                    Ok(Self::Empty(entry_of(workspace)?))
                } else if is_rest {
                    Ok(Self::Rest(entry_of(workspace)?))
                } else {
                    not_ours("it has no .git, so nothing proves whose it is")
                }
            }
            Err(error) => Err(failed(error)),
        }
    }
}

/// Whether what is at the workspace's path is the rest of a checkout of its own whose removal was
/// interrupted.
///
/// # Errors
///
/// `PathInaccessible`.
pub(crate) fn is_half_removed(machine: &Machine, workspace: &Workspace) -> Result<bool> {
    Ok(matches!(Found::look(machine, workspace)?, Found::Rest(_)))
}

impl Checkout {
    fn new(folder: &Path, git_dir: PathBuf, common_dir: &Path) -> Self {
        Self { folder: folder.into(), git_dir, common_dir: common_dir.into() }
    }

    /// Whether the entry names no place, so that git does not know it.
    pub(super) fn is_begun(&self) -> Result<bool> {
        Ok(entry_target(&self.git_dir)?.is_none())
    }

    /// A command that reads the repository as this worktree sees it, its files apart.
    pub(super) fn reads<'a>(&'a self, git: &'a Git) -> Call<'a> {
        git.read(&self.common_dir).arg(self.git_dir_option())
    }

    /// A command that writes the repository; see [`quiet`].
    pub(super) fn writes<'a>(&'a self, git: &'a Git) -> Call<'a> {
        quiet(git, &self.common_dir).arg(self.git_dir_option())
    }

    fn git_dir_option(&self) -> OsString {
        let mut option = OsString::from("--git-dir=");
        option.push(&self.git_dir);
        option
    }

    /// The commit of its HEAD; none if the branch is unborn.
    pub(super) fn head(&self, git: &Git, cancel: &Cancel) -> Result<Option<String>> {
        let head = ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"];
        let answer = self.reads(git).args(head).run(cancel)?;
        match answer.status {
            Some(0) => Ok(Some(String::from_utf8_lossy(&answer.stdout).trim_end().to_owned())),
            Some(1) => Ok(None),
            _ => Err(answer.failure("rev-parse")),
        }
    }
}

/// Whether the `.git` of `folder` names an entry of a common folder that is proven gone.
fn outlived(folder: &Path, common_dir: &Path) -> Result<bool> {
    let gone = fs::symlink_metadata(common_dir)
        .is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    let named = gitfile_target(folder)?;
    Ok(gone && named.is_some_and(|named| named.parent() == Some(&common_dir.join("worktrees"))))
}

/// The entry of the recorded common folder that names the workspace's path; else one that a killed
/// git had only begun.
fn entry_of(workspace: &Workspace) -> Result<Option<Checkout>> {
    let worktrees = workspace.common_dir.join("worktrees");
    if workspace.checkout == Progress::NotStarted {
        return Ok(None);
    }
    let failed = |source: io::Error| Error::PathInaccessible {
        path: worktrees.clone(),
        source: source.into(),
    };
    let entries = match fs::read_dir(&worktrees) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(failed)?,
    };
    let mut begun = None;
    for entry in entries {
        let git_dir = entry.map_err(failed)?.path();
        match entry_target(&git_dir)? {
            Some(named) if is_same_place(&named, &workspace.path) => {
                return Ok(Some(Checkout::new(&workspace.path, git_dir, &workspace.common_dir)));
            }
            None if is_begun(workspace, &git_dir) => begun = Some(git_dir),
            _ => {}
        }
    }
    Ok(begun.map(|git_dir| Checkout::new(&workspace.path, git_dir, &workspace.common_dir)))
}

/// Whether this is an entry, without a place yet, that git began for the workspace: it has the name
/// that git chooses, and holds nothing else than what git makes first.
fn is_begun(workspace: &Workspace, git_dir: &Path) -> bool {
    let suffix = match (workspace.path.file_name(), git_dir.file_name()) {
        (Some(folder), Some(name)) => name.as_bytes().strip_prefix(folder.as_bytes()),
        _ => None,
    };
    let is_first = |name: OsString| name == "locked" || name == "gitdir";
    workspace.checkout == Progress::Started
        && suffix.is_some_and(|suffix| suffix.iter().all(u8::is_ascii_digit))
        && fs::read_dir(git_dir).is_ok_and(|mut content| {
            content.all(|entry| entry.is_ok_and(|entry| is_first(entry.file_name())))
        })
}

/// Whether an entry that names `named` means `folder`, which need not be there. The last component
/// counts as it is written, since a link there is another folder; what is above as the system
/// resolves it, since entries may name their folder by way of `..`.
fn is_same_place(named: &Path, folder: &Path) -> bool {
    named == folder
        || (named.file_name() == folder.file_name()
            && named.parent().and_then(|above| above.canonicalize().ok()).as_deref()
                == folder.parent())
}
