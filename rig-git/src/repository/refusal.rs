//! Why git does not read what looks like a repository. It is found by looking, since git's words
//! are for people.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rig_core::cancel::Cancel;

use super::linked::{gitfile_target, inaccessible, read};
use super::open::Repository;
use crate::error::{Error, Result};
use crate::git::Git;

/// Extensions that every git which is new enough for us knows.
const KNOWN_EXTENSIONS: [&str; 5] =
    ["noop", "partialclone", "preciousobjects", "worktreeconfig", "objectformat"];

/// Why git refuses the repository that `path` seems to be in. None if what is there is no
/// repository at all.
pub(super) fn why(git: &Git, path: &Path) -> Result<Option<Repository>> {
    let Some(folder) = path.ancestors().find(|folder| exists(&folder.join(".git"))) else {
        return if path.join("HEAD").is_file() && path.join("objects").is_dir() {
            judge(git, path, path)
        } else {
            Ok(None)
        };
    };
    match gitfile_target(folder)? {
        Some(git_dir) => judge(git, folder, &git_dir),
        None => judge(git, folder, &folder.join(".git")),
    }
}

fn judge(git: &Git, folder: &Path, git_dir: &Path) -> Result<Option<Repository>> {
    for part in [git_dir.to_owned(), git_dir.join("HEAD")] {
        match File::open(&part) {
            Ok(_) => {}
            // A `.git` that names a place which is not there may only lack its disk.
            Err(error) if error.kind() == io::ErrorKind::NotFound && part != git_dir => {
                return Ok(None);
            }
            Err(error) => return Err(inaccessible(&part, error)),
        }
    }
    let common_dir = common_dir(git_dir)?;
    if let Some(extension) = unknown_format(&common_dir.join("config"))? {
        return Err(Error::RepositoryFormat { path: folder.to_owned(), extension });
    }
    if let Some(owner) = other_owner(&[folder, &folder.join(".git"), git_dir]) {
        return Err(Error::RepositoryNotTrusted { path: folder.to_owned(), owner });
    }
    let said = git.read(folder).args(["rev-parse", "--git-dir"]).run(&Cancel::new())?;
    Err(Error::PathInaccessible { path: folder.to_owned(), source: said.last_lines().into() })
}

fn common_dir(git_dir: &Path) -> Result<PathBuf> {
    let named = read(&git_dir.join("commondir"))?;
    let named = named.as_deref().map(|named| super::program::path(named.trim_ascii_end()));
    Ok(named.map_or_else(|| git_dir.to_owned(), |named| git_dir.join(named)))
}

/// What of a repository's format a git may not know.
pub(super) fn unknown_format(file: &Path) -> Result<Option<String>> {
    match File::open(file) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(inaccessible(file, error)),
    }
    let unreadable = |error: git2::Error| Error::PathInaccessible {
        path: file.to_owned(),
        source: error.into(),
    };
    let config = git2::Config::open(file).map_err(unreadable)?;
    let version = config.get_i64("core.repositoryformatversion").unwrap_or_default();
    if version > 1 {
        return Ok(Some(format!("core.repositoryFormatVersion = {version}")));
    }
    let mut extensions = Vec::new();
    let entries = config.entries(Some("^extensions\\.")).map_err(unreadable)?;
    entries
        .for_each(|entry| {
            let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
            let value = String::from_utf8_lossy(entry.value_bytes()).into_owned();
            extensions.push((name, value));
        })
        .map_err(unreadable)?;
    let unknown = extensions.iter().find(|(name, value)| {
        let name = name.strip_prefix("extensions.").unwrap_or(name);
        !KNOWN_EXTENSIONS.contains(&name)
            || name == "objectformat" && !["sha1", "sha256"].contains(&value.as_str())
    });
    Ok(unknown.filter(|_| version == 1).map(|(name, value)| format!("{name} = {value}")))
}

/// Who owns one of these, if it is not the current user.
fn other_owner(places: &[&Path]) -> Option<String> {
    let user = rustix::process::geteuid().as_raw();
    let owners = places.iter().filter_map(|place| fs::symlink_metadata(place).ok());
    owners
        .map(|place| place.uid())
        .find(|owner| *owner != user)
        .map(|owner| format!("user {owner}"))
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
