use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Bytes from which on the log begins anew.
const LONGEST: u64 = 8 << 20;

/// How much of the end of a log is told, in bytes and lines.
const TOLD: (u64, usize) = (4096, 10);

/// The log of the detached daemon, `daemon.log` in the state folder: for its owner alone, and of older
/// ones the last is kept.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    path: PathBuf,
}

impl Log {
    /// The log of the daemon of this state folder.
    pub(crate) fn of(state: &Path) -> Self {
        Self { path: state.join("daemon.log") }
    }

    /// Opens it to be written at its end, a new one if it has grown long.
    pub(super) fn open(&self) -> io::Result<File> {
        if fs::metadata(&self.path).is_ok_and(|log| log.len() >= LONGEST) {
            fs::rename(&self.path, self.path.with_extension("log.1"))?;
        }
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        Ok(file)
    }

    /// The last lines that were written since it was so long.
    pub(super) fn told_since(&self, length: u64) -> String {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(&self.path)?;
            let end = file.metadata()?.len();
            // It has begun anew if it is shorter now.
            let from = if end < length { 0 } else { length };
            file.seek(SeekFrom::Start(from.max(end.saturating_sub(TOLD.0))))?;
            let mut text = Vec::new();
            file.take(TOLD.0).read_to_end(&mut text)?;
            Ok(text)
        };
        let text = read().unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(TOLD.1)..].join("\n")
    }

    /// How long it is.
    pub(super) fn length(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |log| log.len())
    }
}

impl Write for Log {
    /// Writes to standard error, which is the log; a new one first, once it has grown long.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stderr = io::stderr().lock();
        if self.length() >= LONGEST {
            rustix::stdio::dup2_stderr(self.open()?)?;
        }
        stderr.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
