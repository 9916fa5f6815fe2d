//! Notes that a folder which was proven to be a workspace's own is being deleted, so that what a
//! crash leaves of it, with no `.git` to tell whose it is, can be told from a folder that somebody
//! put there.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rig_core::id::WorkspaceId;
use rig_core::store;

use crate::error::{Error, Result};

/// Notes that the folder is being deleted.
///
/// # Errors
///
/// As the store's: where nothing can be noted no cleanup has ended, well or badly.
pub(super) fn begin(state: &Path, id: WorkspaceId, folder: &Metadata) -> Result<()> {
    let note = note(state, id);
    let write = || {
        DirBuilder::new().recursive(true).mode(0o700).create(state.join("removing"))?;
        fs::write(&note, identity(folder))
    };
    write().map_err(|error| {
        let why = error.to_string().into();
        Error::Store(store::Error::CannotOpen { path: note.clone(), why })
    })
}

/// Whether a deletion of this very folder was begun, and not ended.
pub(super) fn is_under_way(state: &Path, id: WorkspaceId, folder: &Metadata) -> bool {
    fs::read_to_string(note(state, id)).is_ok_and(|noted| noted == identity(folder))
}

/// Notes that there is nothing left.
pub(super) fn end(state: &Path, id: WorkspaceId) -> Result<()> {
    let note = note(state, id);
    match fs::remove_file(&note) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::Io { doing: "delete", path: note, source: error })
        }
        _ => Ok(()),
    }
}

fn note(state: &Path, id: WorkspaceId) -> PathBuf {
    state.join("removing").join(id.to_string())
}

/// A folder of the same path, device, inode and, where the file system tells, time of birth is the
/// same one; inodes are given away again.
fn identity(folder: &Metadata) -> String {
    let born = folder.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
    let born = born.map_or(0, |born| born.as_nanos());
    format!("{} {} {born}\n", folder.dev(), folder.ino())
}
