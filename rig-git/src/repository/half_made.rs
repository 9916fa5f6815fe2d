//! Entries of worktrees that a killed git left half written.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::linked::{entry_target, inaccessible, read};
use crate::error::Result;

/// Why git locks an entry while it makes it.
const BEING_MADE: &[u8] = b"initializing";

/// Where an entry finds its common folder.
const COMMON_DIR: &[u8] = b"../..\n";

/// Completes what a git that was killed while it added a worktree left empty, with what it was
/// about to write. An empty `commondir` would make git refuse whatever looks at the list of
/// worktrees, in the whole repository; an empty `.git` would hide whose the folder is.
///
/// A git that is at it in this moment writes the same.
pub(crate) fn complete_entries(common_dir: &Path) {
    let Ok(entries) = fs::read_dir(common_dir.join("worktrees")) else { return };
    for git_dir in entries.flatten().map(|entry| entry.path()) {
        if let Err(error) = complete(&git_dir) {
            tracing::debug!(%error, "a half-made entry stays as it is");
        }
    }
}

fn complete(git_dir: &Path) -> Result<()> {
    let locked = read(&git_dir.join("locked"))?;
    if locked.is_none_or(|why| why.trim_ascii_end() != BEING_MADE) {
        return Ok(());
    }
    fill(&git_dir.join("commondir"), COMMON_DIR)?;
    if let Some(folder) = entry_target(git_dir)? {
        let line = [b"gitdir: ", git_dir.as_os_str().as_bytes(), b"\n"].concat();
        fill(&folder.join(".git"), &line)?;
    }
    Ok(())
}

/// Writes into a file that is there and empty.
fn fill(path: &Path, content: &[u8]) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() && found.len() == 0 => {}
        _ => return Ok(()),
    }
    let opened = OpenOptions::new().write(true).open(path);
    opened.and_then(|mut file| file.write_all(content)).map_err(|source| inaccessible(path, source))
}
