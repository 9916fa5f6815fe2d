use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, openat, unlinkat};
use rustix::io::Errno;

use super::folder::{Folder, id_of};
use crate::error::{Error, Result};

/// How many folders along one path are kept open. Those above are found again by their `..`, and
/// checked to be the same.
const OPEN_AT_MOST: usize = 100;

/// How often a folder is read again into which somebody else still writes.
const ROUNDS: u32 = 4;

/// Deletes the folder at `path` with all it holds. Nothing outside of it is touched, whatever links
/// it has; another file system that is mounted in it is outside. Folders without write permission
/// are made writable first. That it is not there is fine.
///
/// # Errors
///
/// [`Error::Io`] names the first that could not be deleted; all the rest is gone.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let failed = |error: Errno| failure(path.to_owned(), error);
    let Some(name) = path.file_name() else { return Err(failed(Errno::INVAL)) };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let parent = match openat(CWD, parent.unwrap_or(Path::new(".")), flags, Mode::empty()) {
        Ok(parent) => parent,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    remove_in(parent, name, path.parent().unwrap_or(Path::new("")))
}

/// The same for the folder called `name` in an opened one, which lies at `parent_path`, for people.
pub(crate) fn remove_in(parent: OwnedFd, name: &OsStr, parent_path: &Path) -> Result<()> {
    let failed = |error: Errno| failure(parent_path.join(name), error);
    let root_name = CString::new(name.as_bytes()).map_err(|_| failed(Errno::INVAL))?;
    let root = match Folder::open(parent.as_fd(), root_name) {
        Ok(root) => root,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    Removal { parent, parent_path, path: vec![root], failed: None }.run()
}

/// A deletion under way.
struct Removal<'a> {
    parent: OwnedFd,
    parent_path: &'a Path,
    /// The folders from the root of the tree to where the work is.
    path: Vec<Folder>,
    failed: Option<Error>,
}

impl Removal<'_> {
    fn run(mut self) -> Result<()> {
        while let Some(folder) = self.path.last_mut() {
            if !folder.is_read {
                folder.is_read = true;
                folder.rounds += 1;
                if let Err((name, error)) = folder.delete_files() {
                    folder.stays = true;
                    self.report(name.as_deref(), error);
                }
            } else if let Some(name) = folder.below.pop() {
                self.enter(&name);
            } else {
                self.leave()?;
            }
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn enter(&mut self, name: &CStr) {
        let (root_device, depth) = (self.path[0].id.0, self.path.len());
        let Some(above) = self.path.last_mut() else { return };
        let entered = above.open.as_ref().ok_or(Errno::BADF).and_then(|above| {
            let folder = Folder::open(above.as_fd(), name.to_owned())?;
            // Not what is mounted here.
            if folder.id.0 == root_device { Ok(folder) } else { Err(Errno::XDEV) }
        });
        match entered {
            Ok(folder) => {
                if depth >= OPEN_AT_MOST {
                    self.path[depth - OPEN_AT_MOST].open = None;
                }
                self.path.push(folder);
            }
            Err(Errno::NOENT) => {}
            Err(error) => {
                above.stays = true;
                self.report(Some(name), error);
            }
        }
    }

    /// Deletes the deepest folder, which is empty by now, and goes on in the one above.
    fn leave(&mut self) -> Result<()> {
        let Some(folder) = self.path.pop() else { return Ok(()) };
        self.find_above_again(&folder)?;
        let above = match self.path.last() {
            Some(above) => above.open.as_ref().map(OwnedFd::as_fd),
            None => Some(self.parent.as_fd()),
        };
        let Some(above) = above else { return Ok(()) };
        let Folder { name, id, rounds, stays, open, .. } = folder;
        // Closed first: a folder that is deleted while it is open costs a file system much more.
        drop(open);
        match unlinkat(above, &name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST) if stays => {}
            Err(error @ (Errno::NOTEMPTY | Errno::EXIST)) if rounds < ROUNDS => {
                match Folder::open(above, name.clone()) {
                    Ok(again) if again.id == id => {
                        self.path.push(Folder { rounds, ..again });
                        return Ok(());
                    }
                    again => self.report(Some(&name), again.err().unwrap_or(error)),
                }
            }
            Err(error) => self.report(Some(&name), error),
        }
        if let Some(above) = self.path.last_mut() {
            above.stays = true;
        }
        Ok(())
    }

    fn find_above_again(&mut self, folder: &Folder) -> Result<()> {
        let Some(above) = self.path.last_mut().filter(|above| above.open.is_none()) else {
            return Ok(());
        };
        let found = folder.open.as_ref().ok_or(Errno::BADF).and_then(|folder| {
            let found = openat(folder, "..", Folder::FLAGS, Mode::empty())?;
            // Somebody moved it meanwhile, out of the tree for all we know.
            if id_of(&fstat(&found)?) == above.id { Ok(found) } else { Err(Errno::XDEV) }
        });
        match found {
            Ok(found) => above.open = Some(found),
            Err(error) => return Err(failure(self.here(), error)),
        }
        Ok(())
    }

    fn report(&mut self, name: Option<&CStr>, error: Errno) {
        if self.failed.is_none() {
            let mut path = self.here();
            path.extend(name.map(|name| OsStr::from_bytes(name.to_bytes())));
            self.failed = Some(failure(path, error));
        }
    }

    /// The path of the deepest folder, for people.
    fn here(&self) -> PathBuf {
        let names = self.path.iter().map(|folder| OsStr::from_bytes(folder.name.to_bytes()));
        self.parent_path.iter().chain(names).collect()
    }
}

fn failure(path: PathBuf, error: Errno) -> Error {
    Error::Io { doing: "delete", path, source: io::Error::from(error) }
}
