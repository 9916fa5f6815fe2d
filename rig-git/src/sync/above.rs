use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::report::NotCopied;
use super::source::{self, Identity, Source};
use super::{paths, place};

/// What is above a configured path.
pub(super) struct Above {
    /// The folder of the workspace that the path goes to; none if a dry run would make it.
    pub(super) folder: Option<Dir>,
    /// The folders above it, on both sides.
    pub(super) around: Vec<Identity>,
}

impl Above {
    /// Opens the folder that a configured path goes to, and makes what is missing of it; but nothing
    /// for a path that has nothing to copy.
    pub(super) fn of(
        root: &Path,
        workspace: &Dir,
        path: &Path,
        dry_run: bool,
    ) -> Result<Self, NotCopied> {
        if path.iter().any(paths::is_git) {
            return Err(NotCopied::Skipped("it is git's own"));
        }
        source::look(&root.join(path))?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let failed = NotCopied::failed("look at the folders above it");
        let mut around = vec![place::identity(workspace).map_err(&failed)?];
        for above in parent.ancestors() {
            if let Source::Folder(found) = source::look(&root.join(above))? {
                around.push(source::identity(&found));
            }
        }
        let real = place::resolve(workspace, parent)?;
        let mut folder = Some(workspace.try_clone().map_err(&failed)?);
        let mut below = PathBuf::new();
        for part in &real {
            let Some(at) = &folder else { break };
            below.push(part);
            folder = match place::child(at, part) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                Ok(folder) => Some(folder),
                Err(_) if dry_run => None,
                Err(_) => Some(make(root, at, part, &below, parent)?),
            };
            if let Some(folder) = &folder {
                around.push(place::identity(folder).map_err(&failed)?);
            }
        }
        Ok(Self { folder, around })
    }
}

/// Makes a folder like the one in the project. Where a link of the workspace is on the way it may be
/// called otherwise there; then it is made like the configured path's own parent.
fn make(
    root: &Path,
    at: &Dir,
    name: &OsStr,
    below: &Path,
    parent: &Path,
) -> Result<Dir, NotCopied> {
    fs::metadata(root.join(below))
        .or_else(|_| fs::metadata(root.join(parent)))
        .and_then(|model| place::make(at, name, &model))
        .map_err(NotCopied::failed("make the folders above it"))
}
