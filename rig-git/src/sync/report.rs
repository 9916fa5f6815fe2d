use std::path::PathBuf;

/// What a pass did to each path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// In the order of the configuration; a folder counts once for each file below it, and an empty
    /// one once.
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

/// Why a path was not copied.
#[derive(Debug)]
pub(super) enum NotCopied {
    /// Nothing to copy, or nowhere to copy it to.
    Skipped(&'static str),
    /// It could not be copied.
    Failed(String),
    /// The cancel flag was set.
    Cancelled,
}

impl NotCopied {
    /// Says what could not be done.
    pub(super) fn failed(doing: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |error| Self::Failed(format!("cannot {doing}: {error}"))
    }
}
