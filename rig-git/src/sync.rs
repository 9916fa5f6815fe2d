//! Sync: brings a workspace what git cannot, such as ignored `.env` files.

use std::path::{Path, PathBuf};

use rig_core::cancel::Cancel;
use rig_core::config::Config;

use crate::error::Result;

/// What a pass did to each path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// In the order of the configuration; a folder counts once for each file below it.
    pub paths: Vec<SyncedPath>,
}

/// What a pass did to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncedPath {
    /// Relative to the project's root and to the workspace.
    pub path: PathBuf,
    /// What was done.
    pub outcome: Synced,
    /// Why, where it was skipped or failed.
    pub reason: Option<String>,
}

/// What was done to one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synced {
    /// Copied, or would be.
    Copied,
    /// It was as it should be.
    Unchanged,
    /// Nothing to copy, or nowhere to copy it to.
    Skipped,
    /// It could not be copied.
    Failed,
}

/// Makes one pass over one workspace: copies what `workspace.sync` and `workspace.protected_sync`
/// name from `project_root` to `workspace`.
///
/// # Errors
///
/// `SyncPathInvalid`, before anything is copied; `WorkspaceFolderMissing`; `Cancelled`. A path that fails is in the report
/// and stops nothing.
pub fn pass(
    config: &Config,
    project_root: &Path,
    workspace: &Path,
    dry_run: bool,
    cancel: &Cancel,
) -> Result<SyncReport> {
    let _ = (config, project_root, workspace, dry_run, cancel);
    todo!()
}

/// Refuses a write into a protected place of a workspace: `path`, resolved, at or below one of the protected
/// paths. The caller asks unless it is the person or has full access.
///
/// # Errors
///
/// `ProtectedPath`.
pub fn check_write(config: &Config, workspace: &Path, path: &Path) -> Result<()> {
    let _ = (config, workspace, path);
    todo!()
}

/// Whether the file at `path` (relative) is a sync copy that equals the project's.
pub(crate) fn is_unchanged_copy(
    config: &Config,
    project_root: &Path,
    workspace: &Path,
    path: &Path,
) -> bool {
    let _ = (config, project_root, workspace, path);
    todo!()
}
