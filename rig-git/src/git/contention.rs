//! Another git in the way: a step that found a lock file, or a worktree list that moved, is tried
//! again for a while.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::clock::Deadline;

use crate::error::{Error, Result};

/// How often a step is tried.
const TRIES: u32 = 10;

/// How long it is tried.
const PATIENCE: Duration = Duration::from_secs(15);

/// The first pause; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Tries `attempt` again while another git is in its way: up to 10 times in 15 s.
///
/// Another git was in the way of a failed attempt if a lock file of the common folder or of one of
/// `files` (such as a worktree's `index`, in full, without `.lock`) is there, if one of those files
/// was written meanwhile, or if the list of worktrees is another one than before. So an attempt must
/// undo what it began before it answers with an error. Lock files are never deleted.
///
/// # Errors
///
/// [`Error::GitLocked`] once the tries are used up and a lock file is the reason;
/// [`Error::Cancelled`]; and what `attempt` fails with otherwise.
pub(crate) fn retry_while_locked<T>(
    common_dir: &Path,
    files: &[PathBuf],
    cancel: &Cancel,
    attempt: impl FnMut() -> Result<T>,
) -> Result<T> {
    retry_from(FIRST_PAUSE, common_dir, files, cancel, attempt)
}

fn retry_from<T>(
    mut pause: Duration,
    common_dir: &Path,
    files: &[PathBuf],
    cancel: &Cancel,
    mut attempt: impl FnMut() -> Result<T>,
) -> Result<T> {
    let patience = Deadline::after(PATIENCE);
    for tries in 1.. {
        let before = Scene::look(common_dir, files);
        let error = match attempt() {
            // One that took all its time had no other git in its way.
            Err(error @ Error::Step { code: "checkout_timed_out", .. }) => return Err(error),
            Err(error @ (Error::GitFailed { .. } | Error::Step { .. })) => error,
            other => return other,
        };
        let Some(sign) = before.disturbed() else {
            return Err(error);
        };
        if tries == TRIES || patience.left() < pause {
            return Err(match sign {
                Sign::Lock(lock) => Error::GitLocked { lock, tries },
                Sign::Listed => error,
            });
        }
        tracing::debug!(?sign, tries, "another git is in the way");
        if cancel.pause(jittered(pause, tries)) {
            return Err(Error::Cancelled);
        }
        pause *= 2;
    }
    unreachable!("the tries are counted")
}

/// Between a half and the whole of `pause`, so that those who wait for the same lock part ways.
fn jittered(pause: Duration, tries: u32) -> Duration {
    let half = pause / 2;
    let spread = u64::try_from(half.as_nanos()).unwrap_or(u64::MAX).max(1);
    half + Duration::from_nanos(RandomState::new().hash_one(tries) % spread)
}

/// What another git would leave its marks on.
struct Scene {
    worktrees: PathBuf,
    names: BTreeSet<OsString>,
    files: Vec<(PathBuf, Option<Mark>)>,
    /// Only its lock tells anything: our own attempts write it.
    reftable: PathBuf,
}

/// What another git left its mark on.
#[derive(Debug)]
enum Sign {
    /// A file that is locked, or was written meanwhile: its lock file.
    Lock(PathBuf),
    /// The list of worktrees. No lock file belongs to it, so none can be named.
    Listed,
}

/// Which file it is and when it was written.
type Mark = (u64, i64, i64);

impl Scene {
    fn look(common_dir: &Path, files: &[PathBuf]) -> Self {
        let shared = ["config", "packed-refs", "HEAD"].map(|name| common_dir.join(name));
        let worktrees = common_dir.join("worktrees");
        Self {
            names: names_in(&worktrees),
            reftable: common_dir.join("reftable/tables.list"),
            worktrees,
            files: shared
                .into_iter()
                .chain(files.iter().cloned())
                .map(|file| {
                    let mark = mark_of(&file);
                    (file, mark)
                })
                .collect(),
        }
    }

    /// What tells that another git was in the way since; none if nothing does.
    fn disturbed(&self) -> Option<Sign> {
        let held = || {
            let files = self.files.iter().map(|(file, _)| file);
            files.chain([&self.reftable]).map(|file| lock_of(file)).find(|lock| lock.exists())
        };
        let written = || self.files.iter().find(|(file, mark)| mark_of(file) != *mark);
        held()
            .or_else(|| written().map(|(file, _)| lock_of(file)))
            .map(Sign::Lock)
            .or_else(|| (names_in(&self.worktrees) != self.names).then_some(Sign::Listed))
    }
}

fn mark_of(file: &Path) -> Option<Mark> {
    let found = fs::symlink_metadata(file).ok()?;
    Some((found.ino(), found.mtime(), found.mtime_nsec()))
}

fn names_in(folder: &Path) -> BTreeSet<OsString> {
    let Ok(entries) = fs::read_dir(folder) else {
        return BTreeSet::new();
    };
    entries.flatten().map(|entry| entry.file_name()).collect()
}

fn lock_of(file: &Path) -> PathBuf {
    let mut lock = file.as_os_str().to_owned();
    lock.push(".lock");
    lock.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(1);

    fn refused<T>() -> Result<T> {
        let said = || "refused".to_owned();
        Err(Error::GitFailed { operation: said(), status: said(), last_lines: said() })
    }

    #[allow(clippy::disallowed_methods)] // A test may ask the environment where to put its files.
    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    #[test]
    fn a_step_is_tried_again_until_the_lock_file_is_gone() {
        let common = folder();
        let lock = common.path().join("config.lock");
        fs::write(&lock, "").expect("a lock file");
        let mut tries = 0;
        let done = retry_from(SHORT, common.path(), &[], &Cancel::new(), || {
            tries += 1;
            match tries {
                1 | 2 => refused(),
                _ => Ok(tries),
            }
        });
        assert_eq!(done.ok(), Some(3));
        assert!(lock.exists(), "a lock file is never deleted");
    }

    #[test]
    fn a_checkout_that_took_too_long_is_not_tried_again() {
        let common = folder();
        fs::write(common.path().join("config.lock"), "").expect("a lock file");
        let mut tries = 0;
        let ended = retry_from::<()>(SHORT, common.path(), &[], &Cancel::new(), || {
            tries += 1;
            Err(Error::Step { code: "checkout_timed_out", message: String::new() })
        });
        assert_eq!((ended.map_err(|error| error.code()), tries), (Err("checkout_timed_out"), 1));
    }

    #[test]
    fn a_lock_that_stays_is_named_after_ten_tries() {
        let common = folder();
        let index = common.path().join("index");
        fs::write(lock_of(&index), "").expect("a lock file");
        let files = [index.clone()];
        let ended = retry_from::<()>(SHORT, common.path(), &files, &Cancel::new(), refused);
        match ended {
            Err(Error::GitLocked { lock, tries }) => {
                assert_eq!((lock, tries), (lock_of(&index), TRIES));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_failure_with_nothing_in_the_way_is_not_repeated() {
        let common = folder();
        let mut tries = 0;
        let ended = retry_from::<()>(SHORT, common.path(), &[], &Cancel::new(), || {
            tries += 1;
            refused()
        });
        assert!(matches!(ended, Err(Error::GitFailed { .. })));
        assert_eq!(tries, 1);
    }

    #[test]
    fn a_list_that_keeps_moving_is_no_lock_file_to_delete() {
        let common = folder();
        let mut tries = 0;
        let ended = retry_from::<()>(SHORT, common.path(), &[], &Cancel::new(), || {
            tries += 1;
            let name = format!("worktrees/theirs-{tries}");
            fs::create_dir_all(common.path().join(name)).expect("a folder");
            refused()
        });
        assert!(matches!(ended, Err(Error::GitFailed { .. })));
        assert_eq!(tries, TRIES);
    }

    #[test]
    fn a_worktree_list_that_moved_is_tried_again() {
        let common = folder();
        let mut tries = 0;
        let done = retry_from(SHORT, common.path(), &[], &Cancel::new(), || {
            tries += 1;
            if tries > 1 {
                return Ok(tries);
            }
            fs::create_dir_all(common.path().join("worktrees/theirs")).expect("a folder");
            refused()
        });
        assert_eq!(done.ok(), Some(2));
    }
}
