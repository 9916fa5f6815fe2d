use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use process_wrap::std::{CommandWrap, ProcessSession};
use rig_core::id::WorkspaceId;
use rig_core::store::Transact as _;
use rig_git::workspaces;

use super::error::{Error, Result};
use super::open::Node;

/// The hidden command that a background process runs.
pub(crate) const COMMAND: &str = "__work";

/// Workspaces worked on at once.
const AT_ONCE: usize = 4;

/// How often a worker looks for more work while it is busy.
const LOOK: Duration = Duration::from_millis(500);

/// Starts a process that does the work that is due and then ends. It has a session of its own, no
/// terminal and none of our files, so it outlives whoever started us.
pub(super) fn start(state: &Path) -> Result<()> {
    let spawn = || {
        let log = File::options().create(true).append(true).mode(0o600).open(log_path(state)?)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(COMMAND).current_dir(state);
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        CommandWrap::from(command).wrap(ProcessSession).spawn().map(drop)
    };
    spawn().map_err(|source| Error::Worker { source })
}

fn log_path(state: &Path) -> std::io::Result<std::path::PathBuf> {
    let folder = state.join("logs");
    std::fs::create_dir_all(&folder)?;
    Ok(folder.join("work.log"))
}

impl Node {
    /// Does all work that is due, and ends when none is left. Of several such processes one works and
    /// one stands in line for what the first one may have looked past; more end at once.
    ///
    /// # Errors
    ///
    /// Those of the store. What fails for one workspace is logged and stops no other.
    pub fn work_until_done(&self) -> Result<()> {
        let in_line = self.lock_file("work.next")?;
        match in_line.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(source)) => return Err(Error::Worker { source }),
        }
        let turn = self.lock_file("work.lock")?;
        while let Err(error) = turn.try_lock() {
            if let TryLockError::Error(source) = error {
                return Err(Error::Worker { source });
            }
            if self.cancel.pause(LOOK / 10) {
                return Ok(());
            }
        }
        drop(in_line);
        self.work()
    }

    fn work(&self) -> Result<()> {
        let mut at_work = HashSet::new();
        let mut given_up = HashSet::new();
        let (ended, wait) = mpsc::channel();
        std::thread::scope(|scope| {
            loop {
                let due = self.store()?.read(workspaces::pending)?;
                for row in due {
                    if at_work.len() >= AT_ONCE || self.cancel.is_cancelled() {
                        break;
                    }
                    if given_up.contains(&row.id) || !at_work.insert(row.id) {
                        continue;
                    }
                    let ended = ended.clone();
                    scope.spawn(move || {
                        let carried = self.carry_on(row.id, row.status);
                        // Nobody listens any more only if the store failed.
                        let _ = ended.send((row.id, carried));
                    });
                }
                if at_work.is_empty() {
                    return Ok(());
                }
                let next: std::result::Result<(WorkspaceId, Result<()>), _> =
                    wait.recv_timeout(LOOK);
                if let Ok((id, carried)) = next {
                    at_work.remove(&id);
                    if let Err(error) = carried {
                        tracing::error!(workspace = %id, error = &error as &dyn std::error::Error, "given up");
                        given_up.insert(id);
                    }
                }
            }
        })
    }

    fn lock_file(&self, name: &str) -> Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.open(self.state.join(name)).map_err(|source| Error::Worker { source })
    }
}
