use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rig_core::id::WorkspaceId;
use rig_core::time::Timestamp;

use crate::error::{Error, Result};

/// Bytes of the longest log, the lines about attempts and commands apart.
const MAX_SIZE: u64 = 64 << 20;

/// Where the output of a workspace's setup commands goes.
#[must_use]
pub fn log_path(state: &Path, id: WorkspaceId) -> PathBuf {
    state.join("logs/setup").join(format!("{id}.log"))
}

/// A log of all attempts, which only its owner can read.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    size: u64,
    max_size: u64,
    /// Whether the last byte ended a line.
    at_line_start: bool,
    dropped: u64,
    failure: Option<io::Error>,
}

impl Log {
    /// Opens the log of a workspace to go on with it.
    ///
    /// # Errors
    ///
    /// `Io`.
    pub(super) fn open(state: &Path, id: WorkspaceId) -> Result<Self> {
        let path = log_path(state, id);
        Self::open_at(&path).map_err(|source| Error::Io { doing: "open the log", path, source })
    }

    fn open_at(path: &Path) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        let size = file.metadata()?.len();
        let mut last = *b"\n";
        if size > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        let at_line_start = last == *b"\n";
        Ok(Self { file, size, max_size: MAX_SIZE, at_line_start, dropped: 0, failure: None })
    }

    /// Adds output as it came. What does not fit is counted.
    pub(super) fn output(&mut self, bytes: &[u8]) {
        let room = usize::try_from(self.max_size.saturating_sub(self.size)).unwrap_or(usize::MAX);
        let (kept, dropped) = bytes.split_at(room.min(bytes.len()));
        self.write(kept);
        self.dropped += dropped.len() as u64;
    }

    /// Adds a line of Rig's own, after one that counts what was dropped since the last.
    pub(super) fn line(&mut self, now: Timestamp, text: &str) {
        let start = if self.at_line_start { "" } else { "\n" };
        let dropped = match std::mem::take(&mut self.dropped) {
            0 => String::new(),
            bytes => format!("[rig] {now} {bytes} bytes of output were dropped: the log is full\n"),
        };
        let text = text.replace('\n', "\\n");
        self.write(format!("{start}{dropped}[rig] {now} {text}\n").as_bytes());
    }

    /// Why the log is not complete, told once.
    pub(super) fn failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    fn write(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.size += bytes.len() as u64;
                self.at_line_start = last == b'\n';
            }
            Err(error) => {
                self.dropped += bytes.len() as u64;
                self.failure.get_or_insert(error);
                self.size = self.file.metadata().map_or(self.size, |found| found.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    type TestResult = std::result::Result<(), Box<dyn std::error::Error>>;

    fn log(folder: &Path, max_size: u64) -> io::Result<Log> {
        Ok(Log { max_size, ..Log::open_at(&folder.join("logs/setup/x.log"))? })
    }

    fn folder() -> io::Result<tempfile::TempDir> {
        tempfile::tempdir()
    }

    #[test]
    fn beyond_its_size_a_line_counts_what_was_dropped() -> TestResult {
        let folder = folder()?;
        let now = Timestamp::default();
        let mut first = log(folder.path(), 10)?;
        first.output(b"12345678");
        first.output(b"90abcdef");
        first.line(now, "ended");
        // The cap is over the file, whoever wrote it.
        let mut second = log(folder.path(), 10)?;
        second.output(b"xyz");
        second.output(b"uv");
        second.line(now, "one\ntwo");
        assert_eq!(
            fs::read_to_string(folder.path().join("logs/setup/x.log"))?,
            "1234567890\n\
             [rig] 1970-01-01T00:00:00.000Z 6 bytes of output were dropped: the log is full\n\
             [rig] 1970-01-01T00:00:00.000Z ended\n\
             [rig] 1970-01-01T00:00:00.000Z 5 bytes of output were dropped: the log is full\n\
             [rig] 1970-01-01T00:00:00.000Z one\\ntwo\n"
        );
        Ok(())
    }

    #[test]
    fn a_line_begins_after_what_a_killed_attempt_left() -> TestResult {
        let folder = folder()?;
        log(folder.path(), 1000)?.output(b"half a li");
        log(folder.path(), 1000)?.line(Timestamp::default(), "attempt 2 begins");
        let path = folder.path().join("logs/setup/x.log");
        assert_eq!(
            fs::read_to_string(&path)?,
            "half a li\n[rig] 1970-01-01T00:00:00.000Z attempt 2 begins\n"
        );
        let mode =
            |path: &Path| Ok::<_, io::Error>(fs::metadata(path)?.permissions().mode() & 0o777);
        assert_eq!(mode(&path)?, 0o600);
        assert_eq!(mode(&folder.path().join("logs"))?, 0o700);
        Ok(())
    }
}
