use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use git2::RepositoryOpenFlags;

use super::head::{Head, read_head, short};
use super::linked::{entry_target, inaccessible, read};
use super::open::Repository;
use super::program;
use crate::error::Result;

/// A linked worktree as the common folder lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorktreeEntry {
    /// Where its checkout is, or was: the folder may be gone.
    pub path: PathBuf,
    /// Its administrative folder, below the common folder.
    pub git_dir: PathBuf,
    /// What its HEAD is, if that can be read.
    pub head: Option<Head>,
    /// Why it is locked, if it is; no reason is an empty text.
    pub locked: Option<String>,
}

impl Repository {
    /// The linked worktrees of the common folder, the main one not included, in the order of their
    /// administrative folders.
    ///
    /// # Errors
    ///
    /// If they cannot be listed.
    pub fn worktrees(&self) -> Result<Vec<WorktreeEntry>> {
        let folder = self.common_dir().join("worktrees");
        let mut git_dirs = match fs::read_dir(&folder) {
            Ok(entries) => entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<io::Result<Vec<_>>>()
                .map_err(|error| inaccessible(&folder, error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(inaccessible(&folder, error)),
        };
        git_dirs.sort();
        let heads = if self.libgit2.is_none() { self.listed_heads()? } else { HashMap::new() };
        let of_linked = self.libgit2.as_ref().filter(|libgit2| libgit2.is_worktree());
        let of_linked = of_linked.and_then(|_| open_git_dir(self.common_dir()));
        let common = of_linked.as_ref().or(self.libgit2.as_ref());
        let mut worktrees = Vec::new();
        for git_dir in git_dirs {
            // An entry that is only half made, or going, names no place.
            let Some(path) = entry_target(&git_dir)? else { continue };
            let head = match common {
                Some(common) => head_of_entry(common, &git_dir),
                None => heads.get(&path).cloned(),
            };
            let locked = read(&git_dir.join("locked"))?;
            let locked = locked.map(|why| String::from_utf8_lossy(&why).trim_end().to_owned());
            worktrees.push(WorktreeEntry { path, git_dir, head, locked });
        }
        Ok(worktrees)
    }

    /// The HEADs of all worktrees by their paths, as git lists them.
    fn listed_heads(&self) -> Result<HashMap<PathBuf, Head>> {
        let mut heads = HashMap::new();
        let mut path = None;
        self.each_line(&["worktree", "list", "--porcelain"], &mut |line| {
            let (key, value) = match line.iter().position(|&byte| byte == b' ') {
                Some(space) => (&line[..space], &line[space + 1..]),
                None => (line, &[][..]),
            };
            if key == b"worktree" {
                path = Some(program::path(value));
            }
            let Some(path) = &path else { return };
            match key {
                b"HEAD" => {
                    let commit = program::word(value)
                        .filter(|commit| !commit.bytes().all(|digit| digit == b'0'));
                    heads.insert(path.clone(), Head { branch: None, commit });
                }
                b"branch" => {
                    if let Some(head) = heads.get_mut(path) {
                        head.branch = short(&String::from_utf8_lossy(value));
                    }
                }
                _ => {}
            }
        })?;
        Ok(heads)
    }
}

fn head_of_entry(common: &git2::Repository, git_dir: &Path) -> Option<Head> {
    // libgit2 finds a name of this form in the common folder only, whatever git itself can do.
    if let Some(name) = git_dir.file_name().and_then(OsStr::to_str) {
        return read_head(common, &format!("worktrees/{name}/HEAD")).ok();
    }
    read_head(&open_git_dir(git_dir)?, "HEAD").ok()
}

fn open_git_dir(git_dir: &Path) -> Option<git2::Repository> {
    let flags = RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT;
    git2::Repository::open_ext(git_dir, flags, &[] as &[&OsStr]).ok()
}
