//! Where copies go: folders of the workspace that are opened one by one without following links, so
//! that nothing outside of the workspace can be reached, whatever becomes a link meanwhile.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use rustix::fs::{Mode, OFlags};

use super::paths;
use super::report::NotCopied;
use super::source::Identity;
use crate::error::{Error, Result};

const LEADS_OUT: &str = "a folder above it leads out of the workspace";

/// Opens a workspace's folder.
pub(super) fn open(workspace: &Path) -> Result<Dir> {
    let gone = || Error::WorkspaceFolderMissing { path: workspace.to_owned() };
    let inaccessible = |source: io::Error| Error::PathInaccessible {
        path: workspace.to_owned(),
        source: source.into(),
    };
    let opened = match open_folder(rustix::fs::CWD, workspace.as_os_str()) {
        Ok(opened) => opened,
        Err(error) if is_no_folder(&error) => return Err(gone()),
        Err(error) => return Err(inaccessible(error)),
    };
    // The folders above it have not become links either: the path was canonical when it was chosen.
    if fs::canonicalize(workspace).map_err(inaccessible)? != workspace {
        let became = io::Error::other("a folder above it became a link");
        return Err(inaccessible(became));
    }
    Ok(opened)
}

/// Opens the folder called `name` in `folder`; a link is none.
pub(super) fn child(folder: &Dir, name: &OsStr) -> io::Result<Dir> {
    open_folder(folder, name)
}

fn open_folder(at: impl std::os::fd::AsFd, path: &OsStr) -> io::Result<Dir> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(at, path, flags, Mode::empty())?;
    Ok(Dir::from_std_file(File::from(opened)))
}

/// Whether opening a folder failed since there is none: nothing, a file, or a link.
fn is_no_folder(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Which folder it is.
pub(super) fn identity(folder: &Dir) -> io::Result<Identity> {
    let found = folder.dir_metadata()?;
    Ok((found.dev(), found.ino()))
}

/// Makes the folder called `name` with the mode of its model in the project, and opens it. It can
/// always be written by its owner, so that copies can be made in it and it can be removed.
pub(super) fn make(folder: &Dir, name: &OsStr, model: &fs::Metadata) -> io::Result<Dir> {
    use std::os::unix::fs::MetadataExt as _;
    let mut private = DirBuilder::new();
    private.mode(0o700);
    match folder.create_dir_with(name, &private) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return child(folder, name),
        done => done?,
    }
    let made = child(folder, name)?;
    let permissions = cap_std::fs::Permissions::from_mode((model.mode() & 0o777) | 0o700);
    made.set_permissions(".", permissions)?;
    Ok(made)
}

/// Where `parent`, relative to the workspace, really lies in it: links that stay inside are
/// followed. What does not exist yet stays as it is named.
pub(super) fn resolve(workspace: &Dir, parent: &Path) -> Result<PathBuf, NotCopied> {
    let mut ahead: VecDeque<OsString> = parts(parent)?;
    let mut real = PathBuf::new();
    let mut links = 0;
    while let Some(part) = ahead.pop_front() {
        if part == ".." {
            if !real.pop() {
                return Err(NotCopied::Skipped(LEADS_OUT));
            }
            continue;
        }
        let next = real.join(&part);
        match workspace.symlink_metadata(&next) {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > paths::MAX_LINKS {
                    return Err(NotCopied::Skipped("the links above it form a loop"));
                }
                let target = workspace
                    .read_link_contents(&next)
                    .map_err(NotCopied::failed("follow the links above it"))?;
                for part in parts(&target)?.into_iter().rev() {
                    ahead.push_front(part);
                }
            }
            Ok(found) if !found.is_dir() => {
                return Err(NotCopied::Skipped("a folder above it is a file in the workspace"));
            }
            Ok(_) => real = next,
            Err(error) if error.kind() == io::ErrorKind::NotFound => real = next,
            Err(error) => return Err(NotCopied::failed("look at the folders above it")(error)),
        }
    }
    if real.iter().any(paths::is_git) {
        return Err(NotCopied::Skipped("a folder above it leads into .git"));
    }
    Ok(real)
}

/// The parts of a relative path, `..` among them.
fn parts(path: &Path) -> Result<VecDeque<OsString>, NotCopied> {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(_) | Component::ParentDir => Ok(part.as_os_str().to_owned()),
            _ => Err(NotCopied::Skipped(LEADS_OUT)),
        })
        .collect()
}
