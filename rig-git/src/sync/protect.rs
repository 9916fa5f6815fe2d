use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use rig_core::config::Config;

use super::paths;
use super::source::{self, Identity};
use crate::error::{Error, Result};

/// The protected paths of a configuration: `permissions.protected_paths` and
/// `workspace.protected_sync`.
fn protected(config: &Config) -> impl Iterator<Item = &Path> {
    config.protected_paths.iter().chain(&config.workspace.protected_sync).map(Path::new)
}

/// Whether a copy at `relative` is at or below a protected path.
pub(super) fn is_protected(config: &Config, relative: &Path) -> bool {
    let stays = |path: &&Path| {
        path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    };
    protected(config).filter(stays).any(|path| relative.starts_with(paths::plain(path)))
}

/// Refuses a write into a protected place of a workspace: one at or below a protected path that
/// exists, however `path` (absolute, or relative to the workspace) is spelled and whatever links it
/// goes through. The caller asks unless it is the person or has full access.
///
/// # Errors
///
/// `ProtectedPath`; `PathInaccessible` if it cannot be told where `path` leads.
pub fn check_write(config: &Config, workspace: &Path, path: &Path) -> Result<()> {
    let refused = || Error::ProtectedPath { path: path.to_owned() };
    let inaccessible = |source: io::Error| Error::PathInaccessible {
        path: path.to_owned(),
        source: source.into(),
    };
    let target = lead(&workspace.join(path), paths::MAX_LINKS).map_err(inaccessible)?;
    // By identity as well: letter case may not count here, and a file can have several names.
    let around: Vec<Identity> = target.ancestors().filter_map(identity).collect();
    for protected in protected(config) {
        let place = workspace.join(protected);
        if fs::symlink_metadata(&place).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        {
            continue;
        }
        let real = lead(&place, paths::MAX_LINKS).map_err(inaccessible)?;
        if target.starts_with(&real) || identity(&real).is_some_and(|it| around.contains(&it)) {
            return Err(refused());
        }
    }
    Ok(())
}

fn identity(path: &Path) -> Option<Identity> {
    fs::symlink_metadata(path).ok().map(|found| source::identity(&found))
}

/// Where a write to an absolute path would end up: links are followed, the last one too, even if
/// nothing is there yet.
fn lead(path: &Path, links: usize) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        canonical => return canonical,
    }
    let Some(parent) = path.parent() else { return Ok(path.to_owned()) };
    let Some(name) = path.file_name() else {
        // It ends in `..`, below something that is not there.
        return Ok(lead(parent, links)?.parent().unwrap_or(Path::new("/")).to_owned());
    };
    let parent = lead(parent, links)?;
    match fs::read_link(parent.join(name)) {
        Ok(_) if links == 0 => Err(io::Error::from(rustix::io::Errno::LOOP)),
        Ok(target) => lead(&parent.join(target), links - 1),
        Err(_) => Ok(parent.join(name)),
    }
}
