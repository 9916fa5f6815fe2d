//! Copies one file so that no reader ever sees half of it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use cap_std::fs::{Dir, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use rig_core::cancel::Cancel;
use sha2::{Digest as _, Sha256};

use super::report::NotCopied;
use super::source;
use crate::tree;

/// Bytes copied between two looks at the cancel flag.
const CHUNK: u64 = 64 << 20;

/// What a copy gets of its source besides the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    size: u64,
    modified: (i64, i64),
    mode: u32,
}

impl Look {
    /// What a copy of `source` looks like. A protected one has no write bit.
    pub(super) fn of_copy(source: &Metadata, protected: bool) -> Self {
        let mask = if protected { 0o555 } else { 0o777 };
        Self {
            size: source.len(),
            modified: (source.mtime(), source.mtime_nsec()),
            mode: source.mode() & mask,
        }
    }

    /// What a file of the workspace looks like.
    pub(super) fn of_file(found: &cap_std::fs::Metadata) -> Self {
        Self {
            size: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            mode: found.mode() & 0o7777,
        }
    }

    /// Whether size and time are the same.
    pub(super) fn has_content_of(self, other: Self) -> bool {
        self.size == other.size && self.modified == other.modified
    }

    /// Whether the size is the same.
    pub(super) fn has_size_of(self, other: Self) -> bool {
        self.size == other.size
    }
}

/// Copies the file at `from` to `name` in `folder`, over whatever is there: into a file beside it
/// first, which is then renamed. One that a killed pass left is taken away.
pub(super) fn file(
    from: &Path,
    folder: &Dir,
    name: &OsStr,
    protected: bool,
    cancel: &Cancel,
) -> Result<(), NotCopied> {
    let (source, found) = source::open(from)?;
    let beside = beside(name);
    match folder.remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(NotCopied::failed("take away what a killed pass left")(error));
        }
        _ => {}
    }
    let copied = fill(&source, &found, folder, &beside, protected, cancel)
        .and_then(|()| take_place(folder, &beside, name));
    if copied.is_err() {
        // The failure that is told is the first one; the next pass takes away what is left.
        let _ = folder.remove_file(&beside);
    }
    copied
}

/// The name of the file that a copy is made in. It is the same each time, so that what a killed pass
/// left is found again, and short, however long `name` is.
fn beside(name: &OsStr) -> OsString {
    let digest = Sha256::digest(name.as_bytes());
    let first = digest.iter().take(8).fold(0_u64, |first, &byte| (first << 8) | u64::from(byte));
    format!(".rig-sync-{first:016x}").into()
}

fn fill(
    source: &File,
    found: &Metadata,
    folder: &Dir,
    beside: &OsStr,
    protected: bool,
    cancel: &Cancel,
) -> Result<(), NotCopied> {
    let failed = NotCopied::failed("write the copy");
    let copy = if reflink_copy::reflink_file_to_dir(source, folder, beside).is_ok() {
        folder.open(beside).map_err(&failed)?.into_std()
    } else {
        let mut new = OpenOptions::new();
        new.write(true).create_new(true).mode(0o600);
        let mut copy = folder.open_with(beside, &new).map_err(&failed)?.into_std();
        loop {
            if cancel.is_cancelled() {
                return Err(NotCopied::Cancelled);
            }
            if io::copy(&mut source.take(CHUNK), &mut copy).map_err(&failed)? == 0 {
                break copy;
            }
        }
    };
    // The source's time from before it was read: if it changed since, the next pass sees that.
    found.modified().and_then(|modified| copy.set_modified(modified)).map_err(&failed)?;
    let mode = Look::of_copy(found, protected).mode;
    copy.set_permissions(Permissions::from_mode(mode)).map_err(&failed)
}

/// Renames the finished copy over what is at `name`; a folder there makes room first.
fn take_place(folder: &Dir, beside: &OsStr, name: &OsStr) -> Result<(), NotCopied> {
    if folder.symlink_metadata(name).is_ok_and(|there| there.is_dir()) {
        let at = folder.try_clone().map_err(NotCopied::failed("replace the folder there"))?;
        tree::remove_in(at.into_std_file().into(), name, Path::new("")).map_err(|error| {
            let why = std::error::Error::source(&error).map(ToString::to_string);
            NotCopied::Failed(format!("{error}: {}", why.unwrap_or_default()))
        })?;
    }
    folder.rename(beside, folder, name).map_err(NotCopied::failed("put the copy in place"))
}

/// Whether two files hold the same bytes.
pub(super) fn same_content(one: File, other: File) -> io::Result<bool> {
    let (mut one, mut other) = (io::BufReader::new(one), io::BufReader::new(other));
    loop {
        let (left, right) = (io::BufRead::fill_buf(&mut one)?, io::BufRead::fill_buf(&mut other)?);
        let both = left.len().min(right.len());
        if left[..both] != right[..both] || (both == 0 && left.len() != right.len()) {
            return Ok(false);
        }
        if both == 0 {
            return Ok(true);
        }
        io::BufRead::consume(&mut one, both);
        io::BufRead::consume(&mut other, both);
    }
}
