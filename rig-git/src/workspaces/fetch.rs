//! Fetching a base's branch: remote-tracking refs and objects only, and one fetch for many creates.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result, told};
use crate::machine::Machine;

/// How long one look at a busy lock is apart from the next.
const PAUSE: Duration = Duration::from_millis(20);

/// How a fetch ended; a failed one says why.
pub(super) type Fetched = std::result::Result<(), String>;

/// The last fetch of a branch, as its lock file holds it.
#[derive(Serialize, Deserialize)]
struct Last {
    began: Timestamp,
    failed: Option<String>,
}

/// Has `branch` fetched from `origin` by a fetch that begins after `wanted`: our own, or one that
/// another create began meanwhile. `now` tells the time.
pub(super) fn fetched_since(
    machine: &Machine,
    project: &Path,
    common_dir: &Path,
    branch: &str,
    limit: Duration,
    (wanted, now): (Timestamp, &dyn Fn() -> Timestamp),
    cancel: &Cancel,
) -> Result<Fetched> {
    let mut lock = open(machine, common_dir, branch)?;
    loop {
        match lock.try_lock() {
            Ok(()) => break,
            Err(std::fs::TryLockError::WouldBlock) if cancel.pause(PAUSE) => {
                return Err(Error::Cancelled);
            }
            Err(std::fs::TryLockError::WouldBlock) => {}
            Err(std::fs::TryLockError::Error(source)) => {
                return Err(Error::Io {
                    doing: "lock the fetch of",
                    path: common_dir.to_owned(),
                    source,
                });
            }
        }
    }
    let mut text = String::new();
    // What cannot be read is as good as none: then we fetch.
    let last = lock.read_to_string(&mut text).ok().and_then(|_| serde_json::from_str(&text).ok());
    // One that began later than now was noted while the clock was ahead: it proves nothing.
    if let Some(Last { began, failed }) = last
        && began > wanted
        && began <= now()
    {
        return Ok(failed.map_or(Ok(()), Err));
    }
    let began = now();
    let fetched = fetch(machine, project, branch, limit, cancel)?;
    let last = Last { began, failed: fetched.clone().err() };
    let text = serde_json::to_string(&last).unwrap_or_default();
    // Whoever waits fetches for itself if this is not there to read.
    let _ =
        lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| lock.write_all(text.as_bytes()));
    Ok(fetched)
}

/// The file that is locked while a branch of a repository is fetched.
fn open(machine: &Machine, common_dir: &Path, branch: &str) -> Result<File> {
    let mut hash = Sha256::new();
    hash.update(common_dir.as_os_str().as_bytes());
    hash.update([0]);
    hash.update(branch.as_bytes());
    let digest = hash.finalize();
    let (half, _) = digest.split_first_chunk().expect("a digest has 32 bytes");
    let name = format!("{:032x}", u128::from_be_bytes(*half));
    let folder = machine.state.join("fetches");
    let io = |source| Error::Io { doing: "open", path: folder.join(&name), source };
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(io)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(folder.join(&name)).map_err(io)
}

/// Fetches `branch` from `origin` into its remote-tracking ref, whatever refspecs and other fetch
/// settings say, and touches nothing else.
///
/// A failed fetch is no error: what was fetched last is left.
pub(super) fn fetch(
    machine: &Machine,
    project: &Path,
    branch: &str,
    limit: Duration,
    cancel: &Cancel,
) -> Result<Fetched> {
    let answer = machine
        .git
        .write(project)
        .args(["fetch", "--no-tags", "--no-prune", "--no-write-fetch-head"])
        .args(["--no-recurse-submodules", "--no-auto-maintenance", "--refmap="])
        .args(["--", "origin"])
        .arg(format!("+refs/heads/{branch}:refs/remotes/origin/{branch}"))
        .limit(limit)
        .succeed(cancel);
    match answer {
        Ok(_) => Ok(Ok(())),
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(error) => Ok(Err(told(&error))),
    }
}
