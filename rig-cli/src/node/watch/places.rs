use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rig_core::config::PROJECT_FILE;

use super::changes::is_anything;

/// Links followed in one path before it counts as a loop.
const MAX_LINKS: usize = 40;

/// The folders, canonical, in which a change of a project's sync files can be seen.
///
/// Editors replace files, so it is the folder of a file that is watched; folders can be replaced as
/// well, so each folder on the way there is, from the one that holds the root.
#[derive(Debug, Default)]
pub(super) struct Places {
    folders: BTreeMap<PathBuf, Concern>,
    stamp: u64,
}

/// What counts in a folder.
#[derive(Debug)]
enum Concern {
    Everything,
    Names(BTreeSet<OsString>),
}

impl Places {
    /// Those of the paths, relative to a project's root, and of its configuration file. What is below
    /// one of `but` is left out.
    pub(super) fn of(root: &Path, listed: &[PathBuf], but: &[PathBuf]) -> Self {
        let mut places = Self::default();
        let Some(root) = places.root(root) else { return places };
        for path in listed.iter().map(PathBuf::as_path).chain([Path::new(PROJECT_FILE)]) {
            if path.iter().any(is_git) {
                continue;
            }
            let mut names = path.iter();
            let at = names.try_fold(root.clone(), |folder, name| places.entry(&folder, name));
            if let Some(folder) = at.filter(|at| at.is_dir()) {
                places.tree(folder, but);
            }
        }
        places
    }

    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.keys().map(PathBuf::as_path)
    }

    /// A number that tells what was there at that moment from what was there before a change.
    pub(super) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Whether a change at the path counts.
    pub(super) fn concern(&self, path: &Path) -> bool {
        let named = || {
            Some(match (self.folders.get(path.parent()?)?, path.file_name()?) {
                (Concern::Everything, _) => true,
                (Concern::Names(names), name) => names.contains(name),
            })
        };
        is_anything(path) || self.folders.contains_key(path) || named().unwrap_or_default()
    }

    /// The root, if it is there. If it is not, what is to be watched is where it may come back.
    fn root(&mut self, root: &Path) -> Option<PathBuf> {
        let (mut folder, mut name) = (root.parent()?, root.file_name()?);
        while !folder.is_dir() {
            (folder, name) = (folder.parent()?, folder.file_name()?);
        }
        self.entry(folder, name)?;
        fs::canonicalize(root).ok().filter(|root| root.is_dir())
    }

    /// Takes in what is called `name` in `folder`, and wherever it leads if it is a link; answers
    /// where that is in the end.
    fn entry(&mut self, folder: &Path, name: &OsStr) -> Option<PathBuf> {
        let mut path = folder.join(name);
        for _ in 0..MAX_LINKS {
            let folder = fs::canonicalize(path.parent()?).ok().filter(|folder| folder.is_dir())?;
            let Some(name) = path.file_name() else { break };
            self.name(&folder, name);
            path = folder.join(name);
            self.see(&path);
            match fs::read_link(&path) {
                Ok(target) => path = folder.join(target),
                Err(_) => break,
            }
        }
        fs::canonicalize(folder.join(name)).ok()
    }

    fn name(&mut self, folder: &Path, name: &OsStr) {
        let concern = self.folders.entry(folder.to_owned());
        match concern.or_insert_with(|| Concern::Names(BTreeSet::new())) {
            Concern::Everything => {}
            Concern::Names(names) => {
                names.insert(name.to_owned());
            }
        }
    }

    /// Takes in everything below a folder, git's own apart, which is not copied.
    fn tree(&mut self, folder: PathBuf, but: &[PathBuf]) {
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            if but.contains(&folder) {
                continue;
            }
            let before = self.folders.insert(folder.clone(), Concern::Everything);
            if let Some(Concern::Everything) = before {
                continue;
            }
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (name, kind) = (entry.file_name(), entry.file_type());
                if is_git(&name) {
                    continue;
                }
                match kind {
                    Ok(kind) if kind.is_dir() => {
                        self.see(&entry.path());
                        folders.push(entry.path());
                    }
                    Ok(kind) if kind.is_symlink() => {
                        folders.extend(self.entry(&folder, &name).filter(|place| place.is_dir()));
                    }
                    _ => self.see(&entry.path()),
                }
            }
        }
    }

    /// Adds what is at the path to the stamp.
    fn see(&mut self, path: &Path) {
        let Ok(found) = fs::symlink_metadata(path) else { return };
        let mut hasher = DefaultHasher::new();
        (path, found.dev(), found.ino(), found.mode()).hash(&mut hasher);
        if !found.is_dir() {
            (found.size(), found.mtime(), found.mtime_nsec()).hash(&mut hasher);
            (found.ctime(), found.ctime_nsec()).hash(&mut hasher);
        }
        // Folders are not always listed in one order.
        self.stamp = self.stamp.wrapping_add(hasher.finish());
    }
}

/// Whether it is git's own, which is never copied.
fn is_git(name: &OsStr) -> bool {
    name == ".git"
}
