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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io;
    use std::os::unix::fs::symlink;

    use rig_core::cancel::Cancel;

    use super::*;
    use crate::sync::pass;

    #[test]
    fn a_copy_that_nobody_changed_is_told_from_work() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let top = folder.path().canonicalize()?;
        let (root, workspace) = (top.join("root"), top.join("workspace"));
        fs::create_dir_all(root.join("conf"))?;
        fs::create_dir(&workspace)?;
        fs::write(root.join(".env"), "A=1")?;
        fs::write(root.join("conf/a"), "a")?;
        fs::write(root.join("other"), "other")?;
        let mut config = Config::default();
        config.workspace.sync = vec![".env".to_owned(), "conf".to_owned()];
        config.workspace.protected_sync = vec!["conf/a".to_owned()];
        pass(&config, &root, &workspace, false, &Cancel::new())?;
        fs::write(workspace.join("other"), "other")?;
        fs::write(workspace.join("conf/own"), "own")?;
        let unchanged = |path: &str| is_unchanged_copy(&config, &root, &workspace, Path::new(path));

        assert!(unchanged(".env") && unchanged("conf/a"));
        assert!(!unchanged("other"), "no sync path");
        assert!(!unchanged("conf/own"), "the project does not have it");
        assert!(!unchanged("conf") && !unchanged("absent"), "no file");

        // The project's file was touched since: the content decides.
        let touched = |path: &str| -> io::Result<()> {
            fs::File::open(root.join(path))?.set_modified(std::time::UNIX_EPOCH)
        };
        touched(".env")?;
        assert!(unchanged(".env"));
        fs::write(workspace.join(".env"), "A=2")?;
        assert!(!unchanged(".env"));
        fs::write(workspace.join(".env"), "A=22")?;
        assert!(!unchanged(".env"));

        // A link is work, wherever it leads.
        fs::remove_file(workspace.join(".env"))?;
        symlink(root.join(".env"), workspace.join(".env"))?;
        assert!(!unchanged(".env"));
        fs::rename(workspace.join("conf"), workspace.join("moved"))?;
        symlink("moved", workspace.join("conf"))?;
        assert!(!unchanged("conf/a"));
        Ok(())
    }
}
