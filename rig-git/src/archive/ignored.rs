use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::clock::Deadline;
use rig_core::config::Config;

use crate::error::{Error, Result};
use crate::sync::is_unchanged_copy;

/// Entries looked at.
const MOST: usize = 20_000;

/// How long is looked.
const PATIENCE: Duration = Duration::from_secs(2);

/// Nested repositories remembered.
const MOST_REPOSITORIES: usize = 50;

/// A bounded walk through what git ignores.
pub(super) struct Walk<'a> {
    config: &'a Config,
    project_root: &'a Path,
    folder: &'a Path,
    cancel: &'a Cancel,
    left: usize,
    patience: Deadline,
    cut_off: bool,
    repositories: Vec<PathBuf>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        config: &'a Config,
        project_root: &'a Path,
        folder: &'a Path,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            config,
            project_root,
            folder,
            cancel,
            left: MOST,
            patience: Deadline::after(PATIENCE),
            cut_off: false,
            repositories: Vec::new(),
        }
    }

    /// Bytes of the files at and below `path` (relative), sync copies that equal the project's left
    /// out; none if there is nothing else. Links count as themselves.
    pub(super) fn bytes(&mut self, path: &Path) -> Result<Option<u64>> {
        let mut bytes = 0;
        let mut own = false;
        let mut copies = false;
        let mut waiting = vec![path.to_path_buf()];
        while let Some(path) = waiting.pop() {
            if self.cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            if self.left == 0 || self.patience.has_passed() {
                self.cut_off = true;
                own = true;
                break;
            }
            self.left -= 1;
            let on_disk = self.folder.join(&path);
            // What cannot be looked at is there all the same.
            let Ok(found) = fs::symlink_metadata(&on_disk) else {
                own = true;
                continue;
            };
            if !found.is_dir() {
                if is_unchanged_copy(self.config, self.project_root, self.folder, &path) {
                    copies = true;
                } else {
                    own = true;
                    bytes += found.len();
                }
                continue;
            }
            if self.repositories.len() < MOST_REPOSITORIES
                && on_disk.join(".git").symlink_metadata().is_ok()
            {
                self.repositories.push(path.clone());
            }
            match fs::read_dir(&on_disk) {
                Ok(entries) => {
                    waiting.extend(entries.flatten().map(|entry| path.join(entry.file_name())));
                }
                Err(_) => self.cut_off = true,
            }
        }
        Ok((own || !copies).then_some(bytes))
    }

    /// Whether there is at least what was found, and maybe more.
    pub(super) fn was_cut_off(&self) -> bool {
        self.cut_off
    }

    /// The repositories on the way, by their top levels.
    pub(super) fn into_repositories(self) -> Vec<PathBuf> {
        self.repositories
    }
}
