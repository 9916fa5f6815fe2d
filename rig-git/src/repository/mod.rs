//! Reads a repository: through libgit2 where it can, else through the git program, with the same
//! answers.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::git::Git;

/// A repository that was opened for reading.
pub struct Repository {}

/// What HEAD is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The branch, without `refs/heads/`; none if detached.
    pub branch: Option<String>,
    /// The commit; none if the branch is unborn.
    pub commit: Option<String>,
}

/// A linked worktree as the common folder lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorktreeEntry {
    /// Where its checkout is.
    pub path: PathBuf,
    /// Its administrative folder, below the common folder.
    pub git_dir: PathBuf,
    /// What its HEAD is, if that can be read.
    pub head: Option<Head>,
    /// Why it is locked, if it is.
    pub locked: Option<String>,
}

/// How a branch is called at the moment, and what stands in the way of a new one.
#[allow(unused_variables)]
impl Repository {
    /// Opens the repository whose top level (or git directory, if bare) is exactly `path`.
    /// None if `path` is in no repository, or is not its top level.
    ///
    /// # Errors
    ///
    /// `RepositoryNotTrusted`, `RepositoryFormat`, `PathInaccessible`.
    pub fn open(git: &Git, path: &Path) -> Result<Option<Self>> {
        todo!()
    }

    /// Opens the repository that `path` is in, searching upwards. None if there is none.
    ///
    /// # Errors
    ///
    /// As [`Repository::open`].
    pub fn discover(git: &Git, path: &Path) -> Result<Option<Self>> {
        todo!()
    }

    /// The canonical top level; none if the repository is bare.
    pub fn top_level(&self) -> Option<&Path> {
        todo!()
    }

    /// The git directory, canonical: of a linked worktree its administrative folder.
    pub fn git_dir(&self) -> &Path {
        todo!()
    }

    /// The common folder, canonical: refs and objects of all worktrees.
    pub fn common_dir(&self) -> &Path {
        todo!()
    }

    /// Whether configuration says bare although there is a checkout around it: the accident of a
    /// shared `core.bare=true`.
    pub fn bare_by_accident(&self) -> bool {
        todo!()
    }

    /// What HEAD is.
    pub fn head(&self) -> Result<Head> {
        todo!()
    }

    /// The commit that a revision names, as `rev-parse --verify --end-of-options <rev>^{commit}`
    /// reads it, in full. None if it names none.
    pub fn commit(&self, revision: &str) -> Result<Option<String>> {
        todo!()
    }

    /// The full name of the ref that git takes a plain name for, and whether others fit too.
    pub fn ref_named(&self, name: &str) -> Result<Option<(String, bool)>> {
        todo!()
    }

    /// The commit at a ref of this full name. None if there is no such ref.
    pub fn reference(&self, name: &str) -> Result<Option<String>> {
        todo!()
    }

    /// What a symbolic ref of this full name points at, such as `refs/remotes/origin/HEAD`.
    pub fn symbolic(&self, name: &str) -> Result<Option<String>> {
        todo!()
    }

    /// The full names of all refs that begin with `prefix`, such as `refs/heads/worktree/`, with
    /// the objects they name.
    pub fn refs_below(&self, prefix: &str) -> Result<Vec<(String, String)>> {
        todo!()
    }

    /// Whether there is any commit at all: HEAD's, or any ref's.
    pub fn has_commits(&self) -> Result<bool> {
        todo!()
    }

    /// The names of the remotes.
    pub fn remotes(&self) -> Result<Vec<String>> {
        todo!()
    }

    /// The URL that a remote is fetched from.
    pub fn remote_url(&self, remote: &str) -> Result<Option<String>> {
        todo!()
    }

    /// A configured value, such as `branch.main.remote`.
    pub fn config(&self, key: &str) -> Result<Option<String>> {
        todo!()
    }

    /// Whether commit `ancestor` is `of` or one of its ancestors.
    pub fn is_ancestor(&self, ancestor: &str, of: &str) -> Result<bool> {
        todo!()
    }

    /// How many commits `of` has that none of `without` (commits) has.
    pub fn count_missing(&self, of: &str, without: &[String]) -> Result<usize> {
        todo!()
    }

    /// The linked worktrees of the common folder, the main one not included.
    pub fn worktrees(&self) -> Result<Vec<WorktreeEntry>> {
        todo!()
    }
}
