use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The canonical form of the workspaces root, through its deepest existing ancestor. Nothing is
/// made.
pub(super) fn canonical_root(root: &Path, project: &Path, common_dir: &Path) -> Result<PathBuf> {
    let invalid = |why: &str| {
        Err(Error::WorkspacesRootInvalid { path: root.to_owned(), why: why.to_owned() })
    };
    if !root.is_absolute() {
        return invalid("the path must be absolute");
    }
    let real = match through_deepest_ancestor(root) {
        Ok(real) => real,
        Err(source) => return invalid(&format!("it cannot be looked at: {source}")),
    };
    if real.starts_with(project) {
        return invalid("it lies inside the project's folder");
    }
    if real.starts_with(common_dir) {
        return invalid("it lies inside the repository's Git folder");
    }
    Ok(real)
}

/// The deepest existing ancestor must be a folder: a file, or a link that leads nowhere, holds none.
fn through_deepest_ancestor(path: &Path) -> std::io::Result<PathBuf> {
    match path.canonicalize() {
        Ok(real) if !real.is_dir() => Err(ErrorKind::NotADirectory.into()),
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => {
            match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => Ok(through_deepest_ancestor(parent)?.join(name)),
                _ => Err(error),
            }
        }
        found => found,
    }
}
