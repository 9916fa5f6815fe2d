//! Makes the files appear: one `git worktree add`, and what undoes it if it fails.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rig_core::cancel::Cancel;
use rig_core::workspace::Workspace;

use super::verify::{Expected, is_complete};
use crate::archive::{self, Removed};
use crate::error::{Error, Result};
use crate::git::{Answer, retry_while_locked};
use crate::machine::Machine;
use crate::progress::Progress;
use crate::turns::Turn;

/// Workers of a checkout, where the user has not set how many.
const WORKERS: &str = "checkout.workers=8";

/// How often, and after which pause, an add is tried that failed before it made the folder.
const EARLY_TRIES: u32 = 4;
const EARLY_PAUSE: Duration = Duration::from_millis(50);

/// How the worktree was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// git was content.
    Clean,
    /// The checkout is complete, and git exited as its post-checkout hook did.
    HookFailed(i32),
}

/// One `git worktree add`.
pub(super) struct Add<'a> {
    pub(super) machine: &'a Machine,
    pub(super) project: &'a Path,
    pub(super) row: &'a Workspace,
    pub(super) expected: Expected<'a>,
    /// Whether the branch is there already; else it is created with the worktree.
    pub(super) reuse: bool,
    /// Whether to use several workers.
    pub(super) workers: bool,
    pub(super) limit: Duration,
    pub(super) turn: &'a Turn,
    pub(super) cancel: &'a Cancel,
    pub(super) progress: &'a mut dyn FnMut(Progress<'_>),
    /// Whether a failed try left nothing behind.
    pub(super) undone: bool,
}

impl Add<'_> {
    /// Tries, and again while another git is in the way. A try that fails is undone: what it made,
    /// and nothing else, is removed.
    ///
    /// One that failed before there was a folder is tried again, a few times: another git may have
    /// tidied the entry away that ours had only begun, which leaves no trace.
    pub(super) fn run(&mut self) -> Result<Added> {
        for _ in 1..EARLY_TRIES {
            let before = self.folder_made();
            match self.run_unlocked() {
                Err(Error::Step { .. }) if self.undone && self.folder_made() == before => {}
                ended => return ended,
            }
            if self.cancel.pause(EARLY_PAUSE) {
                return Err(Error::Cancelled);
            }
        }
        self.run_unlocked()
    }

    fn run_unlocked(&mut self) -> Result<Added> {
        let Expected { common_dir, branch, .. } = self.expected;
        let files = [common_dir.join("refs/heads").join(branch)];
        retry_while_locked(common_dir, &files, self.cancel, || self.run_once())
    }

    /// When the last folder beside the worktree's was made or removed.
    fn folder_made(&self) -> Option<SystemTime> {
        self.expected.path.parent()?.metadata().ok()?.modified().ok()
    }

    fn run_once(&mut self) -> Result<Added> {
        self.undone = false;
        let failed = match self.git() {
            Ok(Answer { status: Some(0), .. }) => return Ok(Added::Clean),
            Ok(answer) => match answer.status {
                Some(status) if is_complete(&self.machine.git, self.expected, self.cancel)? => {
                    return Ok(Added::HookFailed(status));
                }
                status => {
                    let how = status.map_or("a signal".to_owned(), |status| status.to_string());
                    let words = answer.last_lines();
                    Error::Step {
                        code: "checkout_failed",
                        message: format!("git worktree add failed ({how}): {words}"),
                    }
                }
            },
            Err(Error::GitTimedOut { limit, last_lines, .. }) => {
                archive::note_rest(self.machine, self.row)?;
                Error::Step {
                    code: "checkout_timed_out",
                    message: format!("git worktree add took longer than {limit:?}: {last_lines}"),
                }
            }
            // Stopped: whoever goes on looks at what is there.
            Err(error) => {
                archive::note_rest(self.machine, self.row)?;
                return Err(error);
            }
        };
        match self.undo() {
            Ok(undone) => self.undone = undone,
            Err(error) => tracing::debug!(%error, "a failed checkout could not be undone"),
        }
        Err(failed)
    }

    fn git(&mut self) -> Result<Answer> {
        let Expected { path, branch, commit, .. } = self.expected;
        let mut call = self.machine.git.write(self.project);
        if self.workers {
            call = call.args(["-c", WORKERS]);
        }
        call = call.args(["-c", "worktree.useRelativePaths=false", "worktree", "add"]);
        call = if self.reuse {
            call.arg("--").arg(path).arg(branch)
        } else {
            call.arg("-b").arg(branch).arg("--").arg(path).arg(commit)
        };
        let progress = &mut *self.progress;
        let mut shown = |chunk: &[u8]| {
            if let Some((done, total)) = files_of(chunk) {
                progress(Progress::Files { done, total });
            }
        };
        call.env("GIT_PROGRESS_DELAY", "0")
            .limit(self.limit)
            .holding(self.turn.file())
            .logged(self.turn.file())
            .progress(&mut shown)
            .run(self.cancel)
    }

    /// Removes the folder and entry that this try made, and the branch, if it was absent before and
    /// is still at the base. Answers whether nothing is left.
    fn undo(&self) -> Result<bool> {
        let Expected { branch, commit, .. } = self.expected;
        let (machine, project) = (self.machine, self.project);
        if let Removed::Kept(why) =
            archive::remove_checkout(machine, project, self.row, self.turn, self.cancel)?
        {
            tracing::debug!(why, "a failed checkout was not removed");
            return Ok(false);
        }
        if !self.reuse {
            // If it moved, or never came to be, git refuses, and that is right.
            self.machine
                .git
                .write(self.project)
                .args(["update-ref", "-d", "--"])
                .arg(format!("refs/heads/{branch}"))
                .arg(commit)
                .run(self.cancel)?;
        }
        Ok(true)
    }
}

/// The newest `(done/total)` in what git shows of its progress.
fn files_of(chunk: &[u8]) -> Option<(u64, u64)> {
    let text = String::from_utf8_lossy(chunk);
    let (_, rest) = text.rsplit_once("Updating files:")?;
    let (counts, _) = rest.split_once('(')?.1.split_once(')')?;
    let (done, total) = counts.split_once('/')?;
    Some((done.trim().parse().ok()?, total.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::files_of;

    #[test]
    fn the_newest_count_of_a_chunk_is_shown() {
        let chunk = b"Updating files:   1% (2/200)\rUpdating files:  12% (24/200)\r";
        assert_eq!(files_of(chunk), Some((24, 200)));
        assert_eq!(files_of(b"Preparing worktree (new branch 'x')\n"), None);
    }
}
