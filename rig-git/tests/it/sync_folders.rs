//! A project and a workspace of it, as far as sync sees them.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use rig_core::cancel::Cancel;
use rig_core::config::Config;
use rig_git::sync::{SyncReport, Synced, check_write, pass};
use tempfile::TempDir;

/// A project's root and a workspace, side by side.
pub(crate) struct Folders {
    pub(crate) top: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) workspace: PathBuf,
    pub(crate) config: Config,
}

impl Folders {
    pub(crate) fn syncing(paths: &[&str]) -> Self {
        let top = TempDir::new().unwrap();
        let canonical = top.path().canonicalize().unwrap();
        let (root, workspace) = (canonical.join("root"), canonical.join("workspace"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&workspace).unwrap();
        fs::write(workspace.join(".git"), "gitdir: elsewhere\n").unwrap();
        let mut config = Config::default();
        config.workspace.sync = paths.iter().map(|&path| path.to_owned()).collect();
        Self { top, root, workspace, config }
    }

    pub(crate) fn protecting(mut self, protected_sync: &[&str], protected_paths: &[&str]) -> Self {
        let owned = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
        self.config.workspace.protected_sync = owned(protected_sync);
        self.config.protected_paths = owned(protected_paths);
        self
    }

    pub(crate) fn in_root(&self, path: &str, content: &str) -> PathBuf {
        write(&self.root.join(path), content)
    }

    pub(crate) fn in_workspace(&self, path: &str, content: &str) -> PathBuf {
        write(&self.workspace.join(path), content)
    }

    pub(crate) fn pass(&self) -> SyncReport {
        pass(&self.config, &self.root, &self.workspace, false, &Cancel::new()).unwrap()
    }

    pub(crate) fn dry_pass(&self) -> SyncReport {
        pass(&self.config, &self.root, &self.workspace, true, &Cancel::new()).unwrap()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.workspace.join(path)).unwrap()
    }

    pub(crate) fn mode(&self, path: &str) -> u32 {
        mode(&self.workspace.join(path))
    }

    pub(crate) fn refused(&self, path: impl AsRef<Path>) -> Option<&'static str> {
        check_write(&self.config, &self.workspace, path.as_ref()).err().map(|error| error.code())
    }

    /// Every name in the workspace, the folders among them.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.workspace.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let below = entry.path().strip_prefix(&self.workspace).unwrap().to_owned();
                names.push(below.to_string_lossy().into_owned());
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        names.sort();
        names
    }
}

pub(crate) fn write(path: &Path, content: &str) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
    path.to_owned()
}

pub(crate) fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn at(path: &Path, seconds: u64) {
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    File::open(path).unwrap().set_modified(time).unwrap();
}

/// The report as a user reads it: `copied path`, and the reason where there is one.
pub(crate) fn told(report: &SyncReport) -> Vec<String> {
    let word = |outcome| match outcome {
        Synced::Copied => "copied",
        Synced::Unchanged => "unchanged",
        Synced::Skipped => "skipped",
        Synced::Failed => "failed",
    };
    report
        .paths
        .iter()
        .map(|path| {
            let reason = path.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            format!("{} {}{reason}", word(path.outcome), path.path.display())
        })
        .collect()
}
