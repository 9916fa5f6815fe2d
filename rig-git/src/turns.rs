//! Advisory locks that can be waited for with a cancel flag.

use std::collections::HashMap;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::id::WorkspaceId;

use crate::error::{Error, Result};
use crate::repository::complete_entries;

/// The lock file of a common folder's worktrees.
const WORKTREES_LOCK: &str = "rig-worktrees.lock";

/// How long to pause before a lock is tried again: at first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// The locks that this process holds, so that taking one again is an error and not a hang. Clones
/// share them.
#[derive(Clone, Debug, Default)]
pub struct Locks(Arc<Mutex<HashMap<FileId, ThreadId>>>);

/// What a lock file is known by, however its path is written: device and inode.
type FileId = (u64, u64);

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct Turn {
    file: File,
    id: FileId,
    locks: Locks,
}

impl Turn {
    /// The open lock file, to be handed down to the git that works under it. What that git says may
    /// be appended to it.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Said, not left to closing: a child that outlives its git may still have the file open.
        let _ = self.file.unlock();
        self.locks.held().remove(&self.id);
    }
}

impl Locks {
    /// Waits for the turn to change worktrees: one at a time per common folder, whatever state
    /// folder the others use. What a killed git left half written in the list of worktrees is
    /// completed first, since no git could read the list.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`]; [`Error::LockReentry`] if this thread has the turn; [`Error::Io`].
    pub fn worktrees(&self, common_dir: &Path, cancel: &Cancel) -> Result<Turn> {
        let turn = self.take(&common_dir.join(WORKTREES_LOCK), cancel)?;
        complete_entries(common_dir);
        Ok(turn)
    }

    /// Waits for the turn to work on one workspace: materialize, rename, archive. The lock file
    /// lies in the folder `locks` of `state`, which is made.
    ///
    /// # Errors
    ///
    /// As [`Locks::worktrees`].
    pub fn workspace(&self, state: &Path, id: WorkspaceId, cancel: &Cancel) -> Result<Turn> {
        let folder = state.join("locks");
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.map_err(|source| Error::Io { doing: "make", path: folder.clone(), source })?;
        self.take(&folder.join(format!("{id}.lock")), cancel)
    }

    fn take(&self, lock: &Path, cancel: &Cancel) -> Result<Turn> {
        let mut pause = FIRST_PAUSE;
        loop {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            if let Some(turn) = self.try_take(lock)? {
                return Ok(turn);
            }
            let _ = cancel.pause(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn try_take(&self, lock: &Path) -> Result<Option<Turn>> {
        let failed = |source| Error::Io { doing: "lock", path: PathBuf::from(lock), source };
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(lock)
            .map_err(failed)?;
        let id = id_of(&file.metadata().map_err(failed)?);
        let mut held = self.held();
        match held.get(&id) {
            Some(holder) if *holder == thread::current().id() => {
                return Err(Error::LockReentry { lock: lock.to_owned() });
            }
            Some(_) => return Ok(None),
            None => {}
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Nobody of us deletes a lock file; if it was done all the same, this one locks nothing.
        match lock.metadata() {
            Ok(now) if id_of(&now) == id => {}
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => return Ok(None),
        }
        held.insert(id, thread::current().id());
        Ok(Some(Turn { file, id, locks: self.clone() }))
    }

    fn held(&self) -> MutexGuard<'_, HashMap<FileId, ThreadId>> {
        // Each change of the map is one call, so a panic elsewhere leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn id_of(file: &std::fs::Metadata) -> FileId {
    (file.dev(), file.ino())
}
