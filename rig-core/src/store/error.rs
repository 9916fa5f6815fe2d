use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

/// What the store's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store could not do something. Clones share their cause.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file belongs to another process: `store_busy`.
    #[error("the store {} is open in another process", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// Reading or writing failed: `store_failed`.
    #[error(
        "the store failed; whether the change was saved is unknown, and the same request with the same ID is safe: {why}"
    )]
    Failed {
        /// What failed.
        why: Arc<str>,
    },
    /// A record was written by a newer build: `record_newer`.
    #[error("a record of `{table}` has version {found}, and this build reads up to {known}")]
    RecordNewer {
        /// The table.
        table: &'static str,
        /// The record's version.
        found: u8,
        /// The highest version that this build reads.
        known: u8,
    },
    /// A record makes no sense: `store_corrupt`.
    #[error("a record of `{table}` cannot be read: {why}")]
    RecordUnreadable {
        /// The table.
        table: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A fault of ours: `internal`.
    #[error("internal error: {why}")]
    Internal {
        /// What happened.
        why: Arc<str>,
    },
}

impl Error {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy { .. } => "store_busy",
            Self::Failed { .. } => "store_failed",
            Self::RecordNewer { .. } => "record_newer",
            Self::RecordUnreadable { .. } => "store_corrupt",
            Self::Internal { .. } => "internal",
        }
    }

    pub(super) fn storage(source: impl Display) -> Self {
        Self::Failed {
            why: source.to_string().into(),
        }
    }

    pub(super) fn internal(source: impl Display) -> Self {
        Self::Internal {
            why: source.to_string().into(),
        }
    }
}
