use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::file::{beside, folder_of, sync_folder};

/// Bytes of the file.
const BYTES: u64 = 8 << 20;

/// Bytes written at a time.
const PIECE: usize = 1 << 20;

/// A file that only takes room. It is deleted once there is no other, so that what must go on can.
#[derive(Debug)]
pub(super) struct Ballast {
    path: PathBuf,
}

impl Ballast {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// The folder whose room it takes.
    pub(super) fn folder(&self) -> &Path {
        folder_of(&self.path)
    }

    /// Whether it is there, whole.
    pub(super) fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|file| file.is_file() && file.len() == BYTES)
    }

    /// Really writes it, with bytes that no file system makes smaller, first under another name: what
    /// bears the name is whole.
    pub(super) fn write(&self) -> io::Result<()> {
        let unfinished = self.unfinished();
        remove(&unfinished)?;
        let written = write_noise(&unfinished).and_then(|()| fs::rename(&unfinished, &self.path));
        if written.is_err() {
            // What could be written of it takes room that others need.
            let _ = remove(&unfinished);
        }
        written?;
        sync_folder(self.folder())
    }

    /// Deletes it, and what a crash left of writing it.
    pub(super) fn delete(&self) -> io::Result<()> {
        remove(&self.path).and(remove(&self.unfinished()))
    }

    fn unfinished(&self) -> PathBuf {
        beside(&self.path, ".new")
    }
}

fn write_noise(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let mut piece = vec![0; PIECE];
    for _ in 0..BYTES / PIECE as u64 {
        getrandom::fill(&mut piece).map_err(io::Error::other)?;
        file.write_all(&piece)?;
    }
    file.sync_all()
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
