//! The lock that says who leads.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rig_core::clock::Boot;
use rig_core::path::RawPath;
use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use crate::protocol::Build;

/// The file `rig.lock`: whoever holds its lock leads, and nothing else decides that. It is never
/// deleted.
#[derive(Debug)]
pub(super) struct LockFile {
    file: File,
    path: PathBuf,
}

/// Who leads, as it says in the lock file. Only people and messages rely on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Holder {
    pub(super) pid: u32,
    pub(super) role: String,
    #[serde(flatten)]
    pub(super) build: Build,
    pub(super) socket: RawPath,
    pub(super) since: String,
    /// When another build left so that this one leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) drained: Option<Boot>,
}

/// The most that is read of what a lock file says.
const LONGEST: usize = 4096;

impl LockFile {
    /// Opens the lock file of a state folder, and makes it if need be; the folder is there.
    pub(super) fn open(state: &Path) -> Result<Self> {
        let path = state.join("rig.lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        match options.open(&path) {
            Ok(file) => Ok(Self { file, path }),
            Err(source) => Err(Error::State { path, source }),
        }
    }

    /// Opens the lock file of a state folder, if there is one.
    pub(super) fn find(state: &Path) -> Result<Option<Self>> {
        let path = state.join("rig.lock");
        match File::options().read(true).open(&path) {
            Ok(file) => Ok(Some(Self { file, path })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::State { path, source }),
        }
    }

    /// Takes the lock, unless somebody has it; answers whether it was taken. The lock goes with the
    /// file's last descriptor, and so with the process.
    pub(super) fn try_take(&self) -> Result<bool> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(source)) => {
                Err(Error::State { path: self.path.clone(), source })
            }
        }
    }

    /// Gives the lock back.
    pub(super) fn give_back(&self) -> Result<()> {
        self.file.unlock().map_err(|source| Error::State { path: self.path.clone(), source })
    }

    /// Whether the path still leads to this file.
    pub(super) fn is_in_place(&self) -> bool {
        let (there, ours) = (std::fs::metadata(&self.path), self.file.metadata());
        let id = |found: std::fs::Metadata| (found.dev(), found.ino());
        there.map(id).ok() == ours.map(id).ok()
    }

    /// Writes down who leads.
    pub(super) fn write(&self, holder: &Holder) {
        let written = serde_json::to_vec(holder).map_err(std::io::Error::from).and_then(|text| {
            self.file.write_all_at(&text, 0)?;
            self.file.set_len(text.len() as u64)
        });
        if let Err(error) = written {
            // On a full disk, say: it is only there to be read by people.
            tracing::warn!(%error, "cannot write down who leads");
        }
    }

    /// Who leads or led last, if that can be read, and the text as it is.
    pub(super) fn holder(&self) -> (Option<Holder>, Vec<u8>) {
        let mut text = vec![0; LONGEST];
        let len = self.file.read_at(&mut text, 0).unwrap_or(0);
        text.truncate(len);
        (serde_json::from_slice(&text).ok(), text)
    }
}

/// The real path of a state folder, if it is there.
pub(super) fn found(state: &Path) -> Result<Option<PathBuf>> {
    match state.canonicalize() {
        Ok(path) => Ok(Some(path)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::State { path: state.to_owned(), source }),
    }
}

/// Makes a state folder if it is not there, for its owner alone, and answers with its real path.
pub(super) fn state_folder(state: &Path) -> Result<PathBuf> {
    let failed = |source| Error::State { path: state.to_owned(), source };
    if let Some(path) = found(state)? {
        return Ok(path);
    }
    DirBuilder::new().recursive(true).mode(0o700).create(state).map_err(failed)?;
    state.canonicalize().map_err(failed)
}
