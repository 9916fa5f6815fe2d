use std::io;
use std::path::PathBuf;

use super::origin::Origin;

/// Why a configuration is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value is not one that its key takes: `bad_config`.
    #[error("{at}: `{key}` is {value}, and {expected} is expected")]
    Value {
        /// Where it was given.
        at: Origin,
        /// The key; for an entry of a list with its number from 1, such as `workspace.sync[2]`.
        key: String,
        /// The value as it was written, cut at 80 characters.
        value: String,
        /// What would be a value.
        expected: &'static str,
    },
    /// There is no such key: `bad_config`.
    #[error("{at}: `{key}` = {value}: there is no such key; the nearest is `{nearest}`")]
    UnknownKey {
        /// Where it was given.
        at: Origin,
        /// The key as it was written.
        key: String,
        /// The value as it was written, cut at 80 characters.
        value: String,
        /// The known key that is most like it.
        nearest: String,
    },
    /// The key is the machine's, and a project's file has no say in it: `machine_level_key`.
    #[error(
        "{at}: `{key}` = {value}: it belongs to the machine; it is expected in the user's own file"
    )]
    MachineLevelKey {
        /// Where it was given.
        at: Origin,
        /// The key.
        key: String,
        /// The value as it was written, cut at 80 characters.
        value: String,
    },
    /// A file is not TOML: `bad_config`.
    #[error("{at}: {line_text:?} is not TOML: {why}")]
    NotToml {
        /// Where reading ended.
        at: Origin,
        /// The line as it was written, cut at 80 characters.
        line_text: String,
        /// What the reader stumbled over.
        why: String,
    },
    /// A file is longer than any configuration: `bad_config`.
    #[error("{} has more than {limit} bytes, and at most that many are expected", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Bytes of the longest file.
        limit: u64,
    },
    /// A file is there and cannot be read: `bad_config`.
    #[error("the configuration {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::MachineLevelKey { .. } => "machine_level_key",
            _ => "bad_config",
        }
    }
}
