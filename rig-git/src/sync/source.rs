//! What the project's root has to copy: links are followed.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::report::NotCopied;

/// Which folder or file it is, whatever it is called: device and inode.
pub(super) type Identity = (u64, u64);

/// Something to copy.
#[derive(Debug)]
pub(super) enum Source {
    File(Metadata),
    Folder(Metadata),
}

/// What a path of the root leads to.
pub(super) fn look(path: &Path) -> Result<Source, NotCopied> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) => return Err(not_found(path, &error)),
    };
    if found.is_file() {
        Ok(Source::File(found))
    } else if found.is_dir() {
        Ok(Source::Folder(found))
    } else {
        Err(NotCopied::Skipped("it is neither a file nor a folder"))
    }
}

fn not_found(path: &Path, error: &io::Error) -> NotCopied {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            if fs::symlink_metadata(path).is_ok() {
                NotCopied::Skipped("its link leads nowhere")
            } else {
                NotCopied::Skipped("the project does not have it")
            }
        }
        _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            NotCopied::Skipped("its links form a loop")
        }
        _ => NotCopied::Failed(format!("cannot look at it: {error}")),
    }
}

/// Opens a file of the root for reading. What became something else since it was looked at is not
/// waited for.
pub(super) fn open(path: &Path) -> Result<(File, Metadata), NotCopied> {
    let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)
        .map_err(NotCopied::failed("read it"))?;
    let found = file.metadata().map_err(NotCopied::failed("read it"))?;
    if found.is_file() {
        Ok((file, found))
    } else {
        Err(NotCopied::Skipped("it is neither a file nor a folder"))
    }
}

/// The names in a folder of the root, in byte order.
pub(super) fn names(path: &Path) -> io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(path)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// Which folder it is.
pub(super) fn identity(found: &Metadata) -> Identity {
    (found.dev(), found.ino())
}
