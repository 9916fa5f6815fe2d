use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, Result};

/// More than any path that can be written into such a file.
const LONGEST: u64 = 1 << 14;

/// What a folder is to a common folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Linked {
    /// Its linked worktree: the folder's `.git` names an entry of the common folder, and the entry
    /// names it back.
    Ours {
        /// The entry: the worktree's administrative folder, canonical.
        git_dir: PathBuf,
    },
    /// Something else: another clone, a worktree that was moved here, a file, a link.
    Foreign,
    /// Nothing, or an empty folder.
    Nothing,
}

/// Looks whether the folder at `path` is a linked worktree of `common_dir`.
///
/// # Errors
///
/// [`Error::PathInaccessible`] if that cannot be told.
pub fn linked(path: &Path, common_dir: &Path) -> Result<Linked> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Ok(Linked::Foreign),
        Err(error) if is_missing(&error) => return Ok(Linked::Nothing),
        Err(error) => return Err(inaccessible(path, error)),
    }
    let Some(entry) = gitfile_target(path)? else {
        let mut content = fs::read_dir(path).map_err(|error| inaccessible(path, error))?;
        return Ok(if content.next().is_none() { Linked::Nothing } else { Linked::Foreign });
    };
    let (Some(git_dir), Some(common_dir)) = (existing(&entry)?, existing(common_dir)?) else {
        return Ok(Linked::Foreign);
    };
    if git_dir.parent() != Some(&common_dir.join("worktrees")) {
        return Ok(Linked::Foreign);
    }
    let Some(back) = entry_target(&git_dir)? else { return Ok(Linked::Foreign) };
    let names_back = existing(&back)?.is_some() && existing(&back)? == existing(path)?;
    Ok(if names_back { Linked::Ours { git_dir } } else { Linked::Foreign })
}

/// The git directory that the file `.git` of a folder names. None if there is no such file.
pub(crate) fn gitfile_target(folder: &Path) -> Result<Option<PathBuf>> {
    let text = read(&folder.join(".git"))?;
    let target = text.as_deref().and_then(|text| text.strip_prefix(b"gitdir: "));
    Ok(target.map(|target| folder.join(path_in(target))))
}

/// The worktree folder that the file `gitdir` of an entry names. None if there is no such file, or
/// git has not written it yet.
pub(crate) fn entry_target(entry: &Path) -> Result<Option<PathBuf>> {
    let text = read(&entry.join("gitdir"))?;
    let text = text.filter(|text| !text.is_empty());
    let gitfile = text.as_deref().map(|text| without_dots(&entry.join(path_in(text))));
    Ok(gitfile.and_then(|gitfile| gitfile.parent().map(Path::to_owned)))
}

/// The content of a small file; none if there is no regular file of that name.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let content = match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => File::open(path).and_then(|file| {
            let mut content = Vec::new();
            file.take(LONGEST).read_to_end(&mut content)?;
            Ok(content)
        }),
        Ok(_) => return Ok(None),
        Err(error) => Err(error),
    };
    match content {
        Ok(content) => Ok(Some(content)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(inaccessible(path, error)),
    }
}

pub(super) fn inaccessible(path: &Path, source: io::Error) -> Error {
    Error::PathInaccessible { path: path.to_owned(), source: source.into() }
}

/// The path that a line holds. git ends it with a line feed, editors with more.
fn path_in(line: &[u8]) -> &Path {
    let end =
        line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    Path::new(std::ffi::OsStr::from_bytes(&line[..end]))
}

/// A relative entry is relative to its canonical folder, so `..` is what it says; the folder it leads
/// to may be gone.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(clean.pop()),
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

fn existing(path: &Path) -> Result<Option<PathBuf>> {
    match path.canonicalize() {
        Ok(path) => Ok(Some(path)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(inaccessible(path, error)),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
