//! Whether git made what was asked for. No walk over files, but for [`is_complete`].

use std::path::Path;
use std::time::Duration;

use rig_core::cancel::Cancel;

use crate::error::{Error, Result};
use crate::git::Git;
use crate::repository::Repository;

/// How long comparing a whole checkout with its index may take.
const COMPARING: Duration = Duration::from_mins(10);

/// What a checkout must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected<'a> {
    pub(super) path: &'a Path,
    pub(super) common_dir: &'a Path,
    pub(super) branch: &'a str,
    pub(super) commit: &'a str,
}

fn unexpected(code: &'static str, what: &str, expected: &str, found: &str) -> Error {
    Error::Step { code, message: format!("{what}: expected {expected}, found {found}") }
}

/// Checks top level, common folder and HEAD of the worktree, and that git is done with it.
///
/// # Errors
///
/// `Step` with `unexpected_path`, `unexpected_repository` or `unexpected_head`.
pub(super) fn verify(git: &Git, expected: Expected<'_>) -> Result<()> {
    let Expected { path, common_dir, branch, commit } = expected;
    let shown = |path: &Path| path.display().to_string();
    let wrong_path = |found: &str| {
        unexpected("unexpected_path", "the worktree is not where it should be", &shown(path), found)
    };
    let repository = Repository::open(git, path)?.ok_or_else(|| wrong_path("no worktree"))?;
    match repository.top_level() {
        Some(top) if top == path => {}
        Some(top) => return Err(wrong_path(&shown(top))),
        None => return Err(wrong_path("a bare repository")),
    }
    if repository.common_dir() != common_dir {
        return Err(unexpected(
            "unexpected_repository",
            "the worktree belongs to another repository",
            &shown(common_dir),
            &shown(repository.common_dir()),
        ));
    }
    let head = repository.head()?;
    if head.branch.as_deref() != Some(branch) || head.commit.as_deref() != Some(commit) {
        let found = format!(
            "{} at {}",
            head.branch.as_deref().unwrap_or("a detached HEAD"),
            head.commit.as_deref().unwrap_or("no commit"),
        );
        let expected = format!("{branch} at {commit}");
        return Err(unexpected("unexpected_head", "HEAD is elsewhere", &expected, &found));
    }
    still_being_made(repository.git_dir())
}

/// git locks a worktree with this reason for as long as it makes it.
fn still_being_made(git_dir: &Path) -> Result<()> {
    let locked = std::fs::read_to_string(git_dir.join("locked"));
    let unfinished = |found: &str| {
        Err(unexpected("unexpected_head", "git did not finish", "a finished checkout", found))
    };
    if locked.is_ok_and(|reason| reason.trim_end() == "initializing") {
        return unfinished("an entry locked as `initializing`");
    }
    if git_dir.join("index.lock").exists() {
        return unfinished("an `index.lock`");
    }
    Ok(())
}

/// Whether the checkout passes [`verify`] and no tracked file is missing or changed.
pub(super) fn is_complete(git: &Git, expected: Expected<'_>, cancel: &Cancel) -> Result<bool> {
    match verify(git, expected) {
        Ok(()) => {}
        Err(Error::Step { .. }) => return Ok(false),
        Err(error) => return Err(error),
    }
    let status = git
        .read(expected.path)
        .args(["status", "--porcelain=v1", "-z", "--untracked-files=no"])
        .args(["--ignore-submodules=all", "--no-renames"])
        .limit(COMPARING)
        .run(cancel)?;
    Ok(status.status == Some(0) && status.stdout.is_empty())
}
