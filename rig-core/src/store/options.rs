use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::Result;
use super::tx::Tx;
use crate::clock::{Clock, SystemClock};

/// Turns the records of one schema into those of the next.
pub type Migration = fn(&Tx<'_>) -> Result<()>;

/// How to open a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Bytes of redb's cache.
    pub cache: usize,
    /// From a file of so many bytes on, each commit also saves what makes the next opening fast
    /// when this one ends without a close, which takes a second sync. A store that is opened for
    /// one transaction sets 0: it saves the close more.
    pub quick_repair_from: u64,
    /// Tells how much room there is for the store's file.
    pub free_space: FreeSpace,
    /// Where the file lies that is deleted when the disk is full. A store in a file has it beside
    /// that, as `<name>.ballast` in place of its extension; without a file and a place there is none.
    pub ballast: Option<PathBuf>,
    /// Is told how a repair goes on.
    pub progress: Progress,
    /// What leads from schema 1 to the one this build writes, one change a schema.
    pub migrations: &'static [Migration],
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock::default()),
            cache: 16 << 20,
            quick_repair_from: 64 << 20,
            free_space: FreeSpace::default(),
            ballast: None,
            progress: Progress::default(),
            migrations: &[],
        }
    }
}

impl Options {
    /// The schema that this build writes, and the highest it reads.
    pub(super) fn schema(&self) -> u64 {
        1 + self.migrations.len() as u64
    }
}

/// Is told, while a file is repaired, which part of the work is done, from 0.0 to 1.0.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(f64) + Send + Sync>);

impl Progress {
    /// Calls `told` from the thread that opens the store.
    pub fn new(told: impl Fn(f64) + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
    }

    pub(super) fn tell(&self, done: f64) {
        (self.0)(done);
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new(|_| ())
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}

/// Tells how many bytes may still be written below a folder.
#[derive(Clone)]
pub struct FreeSpace(Arc<dyn Fn(&Path) -> io::Result<u64> + Send + Sync>);

impl FreeSpace {
    /// Asks `tells`.
    pub fn new(tells: impl Fn(&Path) -> io::Result<u64> + Send + Sync + 'static) -> Self {
        Self(Arc::new(tells))
    }

    pub(super) fn below(&self, folder: &Path) -> io::Result<u64> {
        (self.0)(folder)
    }
}

impl Default for FreeSpace {
    /// Asks the file system.
    fn default() -> Self {
        Self::new(|folder| {
            let disk = rustix::fs::statvfs(folder)?;
            Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
        })
    }
}

impl fmt::Debug for FreeSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FreeSpace")
    }
}
