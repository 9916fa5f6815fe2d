//! Which folders of one view of the disk can be seen in another.

use std::path::{Component, Path, PathBuf};

/// A folder of a disk that another view of the disk has at another place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// The name of the disk that has the folder inside.
    pub disk: String,
    /// Where the folder is on that disk.
    pub inside: PathBuf,
    /// Where the folder is for the others.
    pub outside: PathBuf,
}

/// Where a folder of the disk `from` is on the disk `to`; none if it cannot be seen there.
///
/// On one disk it is where it is. Else the longest `inside` among the mounts of `from` that is a
/// prefix of the folder, in whole components, says where. Whether there is such a folder is for
/// whoever sees `to` to look.
#[must_use]
pub fn seen_from(mounts: &[Mount], from: &str, folder: &Path, to: &str) -> Option<PathBuf> {
    if from == to {
        return Some(folder.to_owned());
    }
    // What leads out of a folder is not in it for certain.
    if folder.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let of_disk = mounts.iter().filter(|mount| mount.disk == from);
    let fitting =
        of_disk.filter_map(|mount| Some((mount, folder.strip_prefix(&mount.inside).ok()?)));
    let (mount, rest) = fitting.max_by_key(|(mount, _)| mount.inside.components().count())?;
    // Joined with nothing, a path would end in a slash.
    let whole = rest.as_os_str().is_empty();
    Some(if whole { mount.outside.clone() } else { mount.outside.join(rest) })
}
