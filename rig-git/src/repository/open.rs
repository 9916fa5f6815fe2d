use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use git2::{ErrorCode, RepositoryOpenFlags};

use super::config::Settings;
use super::linked::{gitfile_target, inaccessible};
use super::{program, refusal};
use crate::error::Result;
use crate::git::Git;

/// A repository that was opened for reading.
pub struct Repository {
    pub(super) git: Git,
    /// What reads it; none where only the git program can.
    pub(super) libgit2: Option<git2::Repository>,
    pub(super) places: Places,
    pub(super) settings: OnceCell<Settings>,
}

/// Where the parts of a repository are; all canonical.
pub(super) struct Places {
    /// None if it is bare.
    pub(super) top_level: Option<PathBuf>,
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
}

/// How far to look for a repository.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    Here,
    Upwards,
}

impl Repository {
    /// Opens the repository whose top level (or git directory, if bare) is exactly `path`.
    /// None if `path` is in no repository, or is not its top level.
    ///
    /// # Errors
    ///
    /// [`crate::Error::RepositoryNotTrusted`] if it belongs to somebody else and the user has not said
    /// otherwise; [`crate::Error::RepositoryFormat`] if git itself does not know its format;
    /// [`crate::Error::PathInaccessible`] if it cannot be told whether there is one.
    pub fn open(git: &Git, path: &Path) -> Result<Option<Self>> {
        let Some(path) = canonical(path)? else { return Ok(None) };
        if !may_be_repository(&path)? {
            return Ok(None);
        }
        let found = Self::find(git, &path, Search::Here)?;
        Ok(found.filter(|found| match found.top_level() {
            Some(top_level) => top_level == path,
            None => found.git_dir() == path || found.is_bare_around(&path),
        }))
    }

    /// Opens the repository that `path` is in, searching upwards. None if there is none.
    ///
    /// # Errors
    ///
    /// As [`Repository::open`].
    pub fn discover(git: &Git, path: &Path) -> Result<Option<Self>> {
        match canonical(path)? {
            Some(path) => Self::find(git, &path, Search::Upwards),
            None => Ok(None),
        }
    }

    /// The canonical top level; none if the repository is bare.
    #[must_use]
    pub fn top_level(&self) -> Option<&Path> {
        self.places.top_level.as_deref()
    }

    /// The git directory, canonical: of a linked worktree its administrative folder.
    #[must_use]
    pub fn git_dir(&self) -> &Path {
        &self.places.git_dir
    }

    /// The common folder, canonical: refs and objects of all worktrees.
    #[must_use]
    pub fn common_dir(&self) -> &Path {
        &self.places.common_dir
    }

    /// Whether configuration says bare although there is a checkout around it: the accident of a
    /// shared `core.bare=true`. The repository has no top level then.
    #[must_use]
    pub fn bare_by_accident(&self) -> bool {
        // A bare repository has no index of its own, wherever it lies.
        self.git_dir().parent().is_some_and(|around| self.is_bare_around(around))
            && self.git_dir().join("index").exists()
    }

    fn is_bare_around(&self, path: &Path) -> bool {
        self.top_level().is_none() && self.git_dir() == path.join(".git")
    }

    /// The folder that git is run in to read the repository.
    pub(super) fn folder(&self) -> &Path {
        self.top_level().filter(|top_level| top_level.is_dir()).unwrap_or(self.git_dir())
    }

    fn find(git: &Git, path: &Path, search: Search) -> Result<Option<Self>> {
        match with_libgit2(path, search) {
            Ok(libgit2) => {
                let places = Places::of_libgit2(&libgit2, path)?;
                // libgit2 may know more formats than the git that is to write.
                let is_clear = places.belong_to_user()
                    && refusal::unknown_format(&places.common_dir.join("config"))?.is_none();
                if !is_clear && program::places(git, path)?.is_none() {
                    return refusal::why(git, path);
                }
                Ok(Some(Self::new(git, Some(libgit2), places)))
            }
            Err(error) => {
                let nothing = error.code() == ErrorCode::NotFound;
                if nothing && !anything_like_it(path, search) {
                    return Ok(None);
                }
                // Too new for libgit2, too broken for both, or not trusted: git decides.
                match program::places(git, path)? {
                    Some(places) => Ok(Some(Self::new(git, None, places))),
                    None => refusal::why(git, path),
                }
            }
        }
    }

    fn new(git: &Git, libgit2: Option<git2::Repository>, places: Places) -> Self {
        Self { git: git.clone(), libgit2, places, settings: OnceCell::new() }
    }
}

impl Places {
    fn of_libgit2(found: &git2::Repository, path: &Path) -> Result<Self> {
        let git_dir = real(found.path())?;
        let common_dir = real(found.commondir())?;
        let top_level = if found.is_worktree() {
            // The entry tells where the worktree was made; it may have been moved since.
            let here = path.ancestors().find(|folder| {
                let target = gitfile_target(folder).ok().flatten();
                target.and_then(|target| target.canonicalize().ok()).as_ref() == Some(&git_dir)
            });
            here.or(found.workdir()).map(Path::to_owned)
        } else {
            found.workdir().map(Path::to_owned)
        };
        // A folder that is gone has no better name.
        let top_level = top_level.map(|folder| folder.canonicalize().unwrap_or(folder));
        Ok(Self { top_level, git_dir, common_dir })
    }

    /// Whether all belongs to the current user, which git and libgit2 both trust.
    fn belong_to_user(&self) -> bool {
        let user = rustix::process::geteuid().as_raw();
        let gitfile = self.top_level.as_ref().map(|folder| folder.join(".git"));
        let places = [Some(&self.git_dir), self.top_level.as_ref(), gitfile.as_ref()];
        places.into_iter().flatten().all(|place| match place.symlink_metadata() {
            Ok(found) => found.uid() == user,
            Err(_) => true,
        })
    }
}

fn with_libgit2(path: &Path, search: Search) -> Result<git2::Repository, git2::Error> {
    let flags = match search {
        Search::Here => RepositoryOpenFlags::NO_SEARCH,
        Search::Upwards => RepositoryOpenFlags::empty(),
    };
    git2::Repository::open_ext(path, flags, &[] as &[&OsStr])
}

/// The path as it really is; none if there is nothing.
fn canonical(path: &Path) -> Result<Option<PathBuf>> {
    match path.canonicalize() {
        Ok(path) => Ok(Some(path)),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(inaccessible(path, error)),
    }
}

fn real(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| inaccessible(path, error))
}

/// Whether a folder has what a repository begins with: `.git`, or the `HEAD` of a bare one.
fn may_be_repository(folder: &Path) -> Result<bool> {
    for name in [".git", "HEAD"] {
        match fs::symlink_metadata(folder.join(name)) {
            Ok(_) => return Ok(true),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) => {}
            Err(error) => return Err(inaccessible(folder, error)),
        }
    }
    Ok(false)
}

/// Whether there is a `.git` where libgit2 found no repository.
fn anything_like_it(path: &Path, search: Search) -> bool {
    let folders = path.ancestors().take(if search == Search::Here { 1 } else { usize::MAX });
    folders.map(|folder| folder.join(".git")).any(|inner| inner.symlink_metadata().is_ok())
}
