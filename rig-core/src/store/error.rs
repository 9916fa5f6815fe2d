use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the store's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store could not do something. Clones share their cause.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file belongs to another process: `store_busy`.
    #[error("the store {} is open in another process{}", path.display(), shown(*holder))]
    Busy {
        /// The file.
        path: PathBuf,
        /// The process, where that is known.
        holder: Option<u32>,
    },
    /// The file is no store, is cut off or is damaged, and was left as it is: `store_corrupt`.
    #[error("{} is not a store that can be read: {why}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: Arc<str>,
    },
    /// The file was written by a newer build and was left as it is: `store_newer`.
    #[error("the store {} has schema {found}, and this build knows up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u64,
        /// The highest schema that this build knows.
        known: u64,
    },
    /// The file, or what lies beside it, cannot be used, and nothing was changed: `store_failed`.
    #[error("{} cannot be used, and nothing was changed: {why}", path.display())]
    CannotOpen {
        /// What cannot be used.
        path: PathBuf,
        /// What the system said.
        why: Arc<str>,
    },
    /// Reading or writing failed: `store_failed`.
    #[error(
        "the store failed; whether the change was saved is unknown, and the same request with the same ID is safe: {why}"
    )]
    Failed {
        /// What failed.
        why: Arc<str>,
    },
    /// The store was closed before the operation began, and nothing was changed: `store_failed`.
    #[error("the store is closed, and nothing was changed")]
    Closed,
    /// The disk has no room, and nothing of the change was saved: `disk_full`.
    #[error("the disk is full, and nothing of the change was saved: {why}")]
    DiskFull {
        /// What the system said.
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
    /// The text is no cursor: `cursor_malformed`.
    #[error("{given:?} is not a cursor")]
    CursorMalformed {
        /// The text as it was given, cut at 80 characters.
        given: String,
    },
    /// The cursor is one of another store, or of a later state of this one: `cursor_unknown`.
    #[error("the cursor is not one of this store")]
    CursorUnknown,
    /// Events after the cursor were pruned: `cursor_expired`.
    #[error("events after the cursor are no longer kept")]
    CursorExpired,
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
            Self::Corrupt { .. } | Self::RecordUnreadable { .. } => "store_corrupt",
            Self::Newer { .. } => "store_newer",
            Self::CannotOpen { .. } | Self::Failed { .. } | Self::Closed => "store_failed",
            Self::DiskFull { .. } => "disk_full",
            Self::RecordNewer { .. } => "record_newer",
            Self::CursorMalformed { .. } => "cursor_malformed",
            Self::CursorUnknown => "cursor_unknown",
            Self::CursorExpired => "cursor_expired",
            Self::Internal { .. } => "internal",
        }
    }

    /// An error of redb's.
    pub(super) fn storage(source: impl Into<redb::Error>) -> Self {
        match source.into() {
            redb::Error::Io(error) => Self::io(&error),
            other => Self::failed(other),
        }
    }

    /// An error of the file or the backend.
    pub(super) fn io(error: &std::io::Error) -> Self {
        if is_full(error) {
            return Self::DiskFull { why: error.to_string().into() };
        }
        Self::failed(error)
    }

    /// The same, and where it happened.
    pub(super) fn at(self, path: &Path) -> Self {
        let place = path.to_string_lossy();
        let with = |why: Arc<str>| {
            if why.contains(&*place) { why } else { format!("{place}: {why}").into() }
        };
        match self {
            Self::Failed { why } => Self::Failed { why: with(why) },
            Self::DiskFull { why } => Self::DiskFull { why: with(why) },
            other => other,
        }
    }

    pub(super) fn failed(why: impl Display) -> Self {
        Self::Failed { why: why.to_string().into() }
    }

    pub(crate) fn internal(why: impl Display) -> Self {
        Self::Internal { why: why.to_string().into() }
    }
}

/// Whether this is how the system says that there is no room.
pub(super) fn is_full(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

fn shown(holder: Option<u32>) -> String {
    holder.map(|holder| format!(" ({holder})")).unwrap_or_default()
}
