use std::ffi::CString;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Stat, fchmod, fstat, openat, statat, unlinkat,
};
use rustix::io::Errno;

/// A folder whose content is being deleted.
pub(super) struct Folder {
    pub(super) name: CString,
    pub(super) id: (u64, u64),
    /// Always open in the deepest folder of a path.
    pub(super) open: Option<OwnedFd>,
    /// The folders found in it that are still to be gone into.
    pub(super) below: Vec<CString>,
    pub(super) rounds: u32,
    pub(super) is_read: bool,
    /// Something in it stays, and was reported.
    pub(super) stays: bool,
}

impl Folder {
    pub(super) const FLAGS: OFlags =
        OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    /// Opens a folder, not a link to one, and makes sure that its content can be deleted.
    pub(super) fn open(above: BorrowedFd<'_>, name: CString) -> Result<Self, Errno> {
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
    pub(super) fn delete_files(&mut self) -> Result<(), (Option<CString>, Errno)> {
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

pub(super) fn id_of(stat: &Stat) -> (u64, u64) {
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)] // Their types differ by system.
    (stat.st_dev as u64, stat.st_ino as u64)
}
