//! Advisory locks that can be waited for with a cancel flag.

use std::fs::File;
use std::path::Path;

use rig_core::cancel::Cancel;
use rig_core::id::WorkspaceId;

use crate::error::Result;

/// The locks that this process holds, so that taking one again is an error and not a hang.
#[derive(Clone, Debug, Default)]
pub struct Locks {}

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct Turn {
    file: File,
}

impl Turn {
    /// The open lock file, to be handed down to the git that works under it.
    pub fn file(&self) -> &File {
        &self.file
    }
}

#[allow(unused_variables)]
impl Locks {
    /// Waits for the turn to change worktrees: one at a time per common folder, whatever state
    /// folder the others use.
    ///
    /// # Errors
    ///
    /// `Cancelled`, `LockReentry`, `Io`.
    pub fn worktrees(&self, common_dir: &Path, cancel: &Cancel) -> Result<Turn> {
        todo!()
    }

    /// Waits for the turn to work on one workspace: materialize, rename, archive.
    ///
    /// # Errors
    ///
    /// As [`Locks::worktrees`].
    pub fn workspace(&self, state: &Path, id: WorkspaceId, cancel: &Cancel) -> Result<Turn> {
        todo!()
    }
}
