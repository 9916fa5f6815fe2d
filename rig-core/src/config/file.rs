use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::error::Error;

/// Bytes of the longest configuration file.
const MAX_FILE: u64 = 1 << 20;

/// The bytes of a configuration file; none if it is not there.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let unreadable = |source| Error::Unreadable { path: path.to_owned(), source };
    // A FIFO of that name would be waited for until somebody writes to it.
    let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = match OpenOptions::new().read(true).custom_flags(nonblocking).open(path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(unreadable(io::Error::other("it is not a file")));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(Error::TooLong { path: path.to_owned(), limit: MAX_FILE });
    }
    Ok(Some(bytes))
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
