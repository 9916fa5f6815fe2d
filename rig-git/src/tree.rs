//! Deletes a tree through opened folders: a link goes, its target stays.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fchmod, fstat, openat, statat, unlinkat,
};
use rustix::io::Errno;

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

/// A folder whose content is being deleted.
struct Folder {
    name: CString,
    id: (u64, u64),
    /// Always open in the deepest folder of a path.
    open: Option<OwnedFd>,
    /// The folders found in it that are still to be gone into.
    below: Vec<CString>,
    rounds: u32,
    is_read: bool,
    /// Something in it stays, and was reported.
    stays: bool,
}

impl Removal<'_> {
    fn run(mut self) -> Result<()> {
        while let Some(folder) = self.path.last_mut() {
            if !folder.is_read {
                folder.is_read = true;
                folder.rounds += 1;
                if let Err((name, error)) = folder.delete_files() {
                    folder.stays = true;
                    self.report(name, error);
                }
            } else if let Some(name) = folder.below.pop() {
                self.enter(name);
            } else {
                self.leave()?;
            }
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn enter(&mut self, name: CString) {
        let (root_device, depth) = (self.path[0].id.0, self.path.len());
        let Some(above) = self.path.last_mut() else { return };
        let entered = above.open.as_ref().ok_or(Errno::BADF).and_then(|above| {
            let folder = Folder::open(above.as_fd(), name.clone())?;
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
        let Some(mut folder) = self.path.pop() else { return Ok(()) };
        self.find_above_again(&folder)?;
        let above = match self.path.last() {
            Some(above) => above.open.as_ref().map(OwnedFd::as_fd),
            None => Some(self.parent.as_fd()),
        };
        let deleted = above
            .ok_or(Errno::BADF)
            .and_then(|above| unlinkat(above, &folder.name, AtFlags::REMOVEDIR));
        match deleted {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST) if folder.stays => {}
            Err(Errno::NOTEMPTY | Errno::EXIST) if folder.rounds < ROUNDS => {
                folder.is_read = false;
                self.path.push(folder);
                return Ok(());
            }
            Err(error) => self.report(Some(folder.name), error),
        }
        if let Some(above) = self.path.last_mut() {
            above.stays = true;
        }
        Ok(())
    }

    fn find_above_again(&mut self, folder: &Folder) -> Result<()> {
        let at = self.here();
        let Some(above) = self.path.last_mut().filter(|above| above.open.is_none()) else {
            return Ok(());
        };
        let found = folder.open.as_ref().ok_or(Errno::BADF).and_then(|folder| {
            let found = openat(folder, "..", Folder::FLAGS, Mode::empty())?;
            // Somebody moved it meanwhile, out of the tree for all we know.
            if id_of(&fstat(&found)?) == above.id { Ok(found) } else { Err(Errno::XDEV) }
        });
        above.open = Some(found.map_err(|error| failure(at, error))?);
        Ok(())
    }

    fn report(&mut self, name: Option<CString>, error: Errno) {
        if self.failed.is_none() {
            let mut path = self.here();
            path.extend(name.as_deref().map(|name| OsStr::from_bytes(name.to_bytes())));
            self.failed = Some(failure(path, error));
        }
    }

    /// The path of the deepest folder, for people.
    fn here(&self) -> PathBuf {
        let names = self.path.iter().map(|folder| OsStr::from_bytes(folder.name.to_bytes()));
        self.parent_path.iter().chain(names).collect()
    }
}

impl Folder {
    const FLAGS: OFlags =
        OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    /// Opens a folder, not a link to one, and makes sure that its content can be deleted.
    fn open(above: BorrowedFd<'_>, name: CString) -> Result<Self, Errno> {
        let open = match openat(above, &name, Self::FLAGS, Mode::empty()) {
            Err(Errno::ACCESS) => {
                allow(above, &name)?;
                openat(above, &name, Self::FLAGS, Mode::empty())?
            }
            opened => opened?,
        };
        let stat = fstat(&open)?;
        let mode = Mode::from_raw_mode(stat.st_mode);
        if !mode.contains(Mode::RWXU) {
            // If it may not be done, deleting may work all the same, or says why not.
            let _ = fchmod(&open, mode | Mode::RWXU);
        }
        let id = id_of(&stat);
        Ok(Self {
            name,
            id,
            open: Some(open),
            below: Vec::new(),
            rounds: 0,
            is_read: false,
            stays: false,
        })
    }

    /// Deletes all that is no folder and notes the folders. The first failure is answered, when
    /// all was tried.
    fn delete_files(&mut self) -> Result<(), (Option<CString>, Errno)> {
        let Some(open) = self.open.as_ref() else { return Ok(()) };
        let mut failed = Ok(());
        // A directory of its own for reading: names first, since deleting may disturb the reading.
        let entries = Dir::read_from(open).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        for entry in entries.map_err(|error| (None, error))? {
            let name = entry.file_name();
            if name.to_bytes() == b"." || name.to_bytes() == b".." {
                continue;
            }
            let is_folder = match entry.file_type() {
                FileType::Unknown => statat(open, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory),
                kind => Ok(kind == FileType::Directory),
            };
            let deleted = match is_folder {
                Ok(true) => {
                    self.below.push(name.to_owned());
                    continue;
                }
                Ok(false) => unlinkat(open, name, AtFlags::empty()),
                Err(error) => Err(error),
            };
            match deleted {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => failed = failed.and(Err((Some(name.to_owned()), error))),
            }
        }
        failed
    }
}

/// Gives the owner all rights on a folder that cannot be opened, without following a link.
#[cfg(target_os = "linux")]
fn allow(above: BorrowedFd<'_>, name: &CString) -> Result<(), Errno> {
    use std::os::fd::AsRawFd as _;

    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let pinned = openat(above, name, flags, Mode::empty())?;
    let mode = Mode::from_raw_mode(fstat(&pinned)?.st_mode);
    // Whatever the name stands for by now, this is the folder that was opened.
    rustix::fs::chmod(format!("/proc/self/fd/{}", pinned.as_raw_fd()), mode | Mode::RWXU)
}

#[cfg(not(target_os = "linux"))]
fn allow(above: BorrowedFd<'_>, name: &CString) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(statat(above, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
    rustix::fs::chmodat(above, name, mode | Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)
}

fn id_of(stat: &Stat) -> (u64, u64) {
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)] // Their types differ by system.
    (stat.st_dev as u64, stat.st_ino as u64)
}

fn failure(path: PathBuf, error: Errno) -> Error {
    Error::Io { doing: "delete", path, source: io::Error::from(error) }
}
