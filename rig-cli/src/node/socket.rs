//! Where the socket lies, and the folder it lies in.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::error::{Error, Result};
use crate::environment::{Environment, Runtime};

/// Bytes of a socket's path at most: more do not fit into an address on every system.
const LONGEST: usize = 100;

/// The path of the socket that serves a state folder, whose path is canonical.
///
/// # Errors
///
/// If `RIG_RUNTIME_DIR` is relative.
pub(super) fn place(environment: &Environment, state: &Path) -> Result<PathBuf> {
    let digest = Sha256::digest(state.as_os_str().as_bytes());
    let number = digest.iter().take(6).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let name = format!("{number:012x}.sock");
    let short = || PathBuf::from(format!("/tmp/rig-{}", rustix::process::getuid().as_raw()));
    let folder = match environment.runtime()? {
        Runtime::Named(folder) => folder,
        Runtime::Session(session) if is_ours(&session) => session.join("rig"),
        Runtime::Session(_) | Runtime::Unknown => short(),
    };
    let folder = if folder.join(&name).as_os_str().len() > LONGEST { short() } else { folder };
    Ok(folder.join(name))
}

fn is_ours(folder: &Path) -> bool {
    let us = rustix::process::getuid().as_raw();
    fs::metadata(folder).is_ok_and(|found| found.is_dir() && found.uid() == us)
}

/// Makes the folder of a socket, closed to others, or checks the one that is there.
///
/// # Errors
///
/// `runtime_folder_unsafe` if the folder is somebody else's, is open to others, or is no folder.
pub(super) fn make(socket: &Path) -> Result<()> {
    let Some(folder) = socket.parent() else { return Ok(()) };
    let failed = |source| Error::RuntimeFolder { path: folder.to_owned(), source };
    if let Some(above) = folder.parent().filter(|above| !above.exists()) {
        DirBuilder::new().recursive(true).mode(0o700).create(above).map_err(failed)?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(error)),
    }
    check(folder)
}

/// Checks the folder of a socket, if it is there.
pub(super) fn check_if_there(socket: &Path) -> Result<()> {
    match socket.parent() {
        Some(folder) if folder.symlink_metadata().is_ok() => check(folder),
        _ => Ok(()),
    }
}

/// Checks that a folder is a real one, ours, and closed to others.
pub(super) fn check(folder: &Path) -> Result<()> {
    let unsafe_folder = |why| Error::RuntimeFolderUnsafe { path: folder.to_owned(), why };
    let found = fs::symlink_metadata(folder)
        .map_err(|source| Error::RuntimeFolder { path: folder.to_owned(), source })?;
    if found.is_symlink() {
        return Err(unsafe_folder("it is a link"));
    }
    if !found.is_dir() {
        return Err(unsafe_folder("it is no folder"));
    }
    if found.uid() != rustix::process::getuid().as_raw() {
        return Err(unsafe_folder("it belongs to another user"));
    }
    if found.mode() & 0o077 != 0 {
        return Err(unsafe_folder("others may use it: its mode must be 0700"));
    }
    Ok(())
}
