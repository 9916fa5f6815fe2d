use std::path::Path;

use rig_core::config::Config;

use super::copy::{self, Look};
use super::source::{self, Source};
use super::{paths, place};

/// Whether the file at `path` (relative) is a sync copy that equals the project's. What cannot be
/// told is not.
pub(crate) fn is_unchanged_copy(
    config: &Config,
    project_root: &Path,
    workspace: &Path,
    path: &Path,
) -> bool {
    let listed = paths::listed(config).unwrap_or_default();
    listed.iter().any(|listed| path.starts_with(listed))
        && equals(project_root, workspace, path).unwrap_or(false)
}

fn equals(project_root: &Path, workspace: &Path, path: &Path) -> Option<bool> {
    let from = project_root.join(path);
    let Ok(Source::File(wanted)) = source::look(&from) else { return Some(false) };
    let mut folder = place::open(workspace).ok()?;
    for part in path.parent()? {
        folder = place::child(&folder, part).ok()?;
    }
    let name = path.file_name()?;
    let found = folder.symlink_metadata(name).ok().filter(cap_std::fs::Metadata::is_file)?;
    let (wanted, found) = (Look::of_copy(&wanted, false), Look::of_file(&found));
    if found.has_content_of(wanted) {
        return Some(true);
    }
    if !found.has_size_of(wanted) {
        return Some(false);
    }
    let (one, _) = source::open(&from).ok()?;
    copy::same_content(one, folder.open(name).ok()?.into_std()).ok()
}
