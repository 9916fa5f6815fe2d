use super::open::Repository;
use crate::error::Result;

/// What HEAD is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The branch, without `refs/heads/`; none if detached.
    pub branch: Option<String>,
    /// The commit; none if the branch is unborn.
    pub commit: Option<String>,
}

impl Repository {
    /// What HEAD is.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn head(&self) -> Result<Head> {
        let Some(libgit2) = &self.libgit2 else {
            let branch = self.ask(&["symbolic-ref", "-q", "HEAD"])?;
            let branch = branch.and_then(|name| super::program::word(&name));
            let commit = self.look_up(&["rev-parse", "-q", "--verify", "HEAD^{commit}"])?;
            return Ok(Head { branch: branch.and_then(|name| short(&name)), commit });
        };
        read_head(libgit2, "HEAD")
    }

    /// Whether there is any commit at all: HEAD's, or any ref's.
    ///
    /// # Errors
    ///
    /// If the refs cannot be read.
    pub fn has_commits(&self) -> Result<bool> {
        if self.head()?.commit.is_some() {
            return Ok(true);
        }
        let first = self.ask(&["for-each-ref", "--count=1", "--format=%(objectname)"])?;
        Ok(first.is_some_and(|first| !first.is_empty()))
    }
}

/// What the HEAD of this name is: `HEAD`, or `worktrees/<entry>/HEAD`.
pub(super) fn read_head(libgit2: &git2::Repository, name: &str) -> Result<Head> {
    let head = libgit2.find_reference(name)?;
    let branch = head.symbolic_target_bytes().and_then(|target| {
        let target = String::from_utf8_lossy(target);
        short(&target)
    });
    // Nothing but a commit can be there, so it need not be looked up.
    let commit = super::refs::missing_is_none(head.resolve())?.and_then(|found| found.target());
    Ok(Head { branch, commit: commit.map(|commit| commit.to_string()) })
}

pub(super) fn short(name: &str) -> Option<String> {
    name.strip_prefix("refs/heads/").map(str::to_owned)
}
