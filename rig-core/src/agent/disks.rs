use std::path::{Component, Path, PathBuf};

use super::record::Agent;
use crate::id::WorkspaceId;
use crate::path::RawPath;

/// A folder of a disk that other views of the disk have at another place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// The name of the disk.
    pub disk: String,
    /// Where the folder is on that disk.
    pub inside: PathBuf,
    /// Where the folder is for the others.
    pub outside: PathBuf,
}

/// A view of the disk, as an agent or another caller has it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The disk's name. Who gives the same name sees the same disk.
    pub disk: &'a str,
    /// What this view has of other disks.
    pub mounts: &'a [Mount],
    /// Where the homes of agents are.
    pub homes: &'a Path,
}

impl View<'_> {
    /// Where the folder of an agent is in this view; none if it cannot be seen. Whether there is
    /// such a folder is for whoever has the view to look.
    #[must_use]
    pub fn folder_of(&self, agent: &Agent) -> Option<PathBuf> {
        self.folder(&agent.disk, agent.home, agent.cwd.as_ref())
    }

    /// The same for an agent of which this is known.
    pub(crate) fn folder(
        &self,
        disk: &str,
        home: WorkspaceId,
        cwd: Option<&RawPath>,
    ) -> Option<PathBuf> {
        let home = || self.homes.join(home.to_string());
        self.translated(disk, &cwd.map_or_else(home, |cwd| cwd.to_path_buf()))
    }

    /// Where a folder of a disk is in this view: on the same disk where it is, else where the
    /// longest `inside` of the mounts of that disk says that is a prefix of the folder in whole
    /// components.
    #[must_use]
    pub fn translated(&self, disk: &str, folder: &Path) -> Option<PathBuf> {
        if disk == self.disk {
            return Some(folder.to_owned());
        }
        // What leads out of a folder is not in it for certain.
        if folder.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        let of_disk = self.mounts.iter().filter(|mount| mount.disk == disk);
        let fitting =
            of_disk.filter_map(|mount| Some((mount, folder.strip_prefix(&mount.inside).ok()?)));
        let (mount, rest) = fitting.max_by_key(|(mount, _)| mount.inside.components().count())?;
        // Joined with nothing, a path would end in a slash.
        let whole = rest.as_os_str().is_empty();
        Some(if whole { mount.outside.clone() } else { mount.outside.join(rest) })
    }
}
