//! Tells whoever works on a workspace, in whatever process, that it was archived.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rig_core::cancel::Cancel;
use rig_core::id::WorkspaceId;

use crate::error::{Error, Result};

fn mark(state: &Path, id: WorkspaceId) -> PathBuf {
    state.join("locks").join(format!("{id}.stop"))
}

/// The flag, which also counts as set once the workspace is told to stop.
pub(super) fn when_archived(state: &Path, id: WorkspaceId, cancel: &Cancel) -> Cancel {
    let mark = mark(state, id);
    cancel.or_when(move || mark.exists())
}

/// Has the work on a workspace stopped. The row is `archiving` by then, so that nobody begins again.
pub(super) fn tell(state: &Path, id: WorkspaceId) -> Result<()> {
    let mark = mark(state, id);
    let write = || {
        DirBuilder::new().recursive(true).mode(0o700).create(state.join("locks"))?;
        std::fs::write(&mark, [])
    };
    write().map_err(|source| Error::Io { doing: "write", path: mark.clone(), source })
}

/// Takes the mark away: the row itself tells from now on.
pub(super) fn clear(state: &Path, id: WorkspaceId) {
    // A mark that stays stops nothing: an archived workspace is never worked on again.
    let _ = std::fs::remove_file(mark(state, id));
}
