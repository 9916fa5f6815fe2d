//! What is at the path of a workspace that is being made.

use std::io::ErrorKind;
use std::path::Path;

use crate::error::{Error, Result};
use crate::repository::{Linked, linked};

/// What is at the path.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// An empty folder.
    EmptyFolder,
    /// A worktree whose `.git` names an entry of the common folder that names it back.
    Ours,
    /// Anything else, and what it is.
    Other(String),
}

pub(super) fn at_path(path: &Path, common_dir: &Path) -> Result<Found> {
    let io = |source| Error::Io { doing: "look at", path: path.to_owned(), source };
    let meta = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        meta => meta.map_err(io)?,
    };
    if !meta.is_dir() {
        let what = if meta.is_symlink() { "a link" } else { "a file" };
        return Ok(Found::Other(what.to_owned()));
    }
    if std::fs::read_dir(path).map_err(io)?.next().is_none() {
        return Ok(Found::EmptyFolder);
    }
    Ok(match linked(path, common_dir)? {
        Linked::Ours { .. } => Found::Ours,
        Linked::Foreign => Found::Other("a checkout of something else".to_owned()),
        Linked::Nothing => Found::Other("a folder that is not empty".to_owned()),
    })
}

/// `path_taken`: something is there that this workspace did not make.
pub(super) fn taken(path: &Path, what: &str) -> Error {
    Error::Step {
        code: "path_taken",
        message: format!(
            "there is {what} at {}, and it is left alone: move it away and retry",
            path.display()
        ),
    }
}
