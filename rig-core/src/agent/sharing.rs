use std::fmt;
use std::path::{Path, PathBuf};

/// Whether a caller shares the disk of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// The agent's folder is there, at this path.
    Shared(PathBuf),
    /// The agent is on another disk, of which the caller has nothing that holds the folder.
    OtherDisk,
    /// The disk is shared, and the folder is not there.
    Gone(PathBuf),
}

impl Sharing {
    /// What is true of a folder that a [view](super::View) translated, once somebody who has that
    /// view has looked whether there is one.
    #[must_use]
    pub fn of(folder: Option<PathBuf>, is_folder: impl FnOnce(&Path) -> bool) -> Self {
        match folder {
            Some(folder) if is_folder(&folder) => Self::Shared(folder),
            Some(folder) => Self::Gone(folder),
            None => Self::OtherDisk,
        }
    }
}

/// What to tell a caller who cannot use the folder.
impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared(path) => write!(f, "the folder {} is shared", path.display()),
            Self::OtherDisk => {
                f.write_str("the agent is on a disk that is not shared: send it content, not paths")
            }
            Self::Gone(path) => {
                write!(f, "the disk is shared, but the agent's folder {} is gone", path.display())
            }
        }
    }
}
