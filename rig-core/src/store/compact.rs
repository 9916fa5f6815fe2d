use redb::StorageBackend as _;
use serde::Serialize;

use super::error::{Error, Result};
use super::live::Store;

/// What compacting did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Compacted {
    /// Bytes of the file before.
    pub before: u64,
    /// Bytes of the file after.
    pub after: u64,
}

impl Store {
    /// Makes the file as small as its content allows. Nobody writes meanwhile.
    ///
    /// # Errors
    ///
    /// If somebody is reading at the same time, or the store failed.
    pub fn compact(&self) -> Result<Compacted> {
        self.alone(|opened| {
            let len = || opened.deferred.len().map_err(|error| Error::io(&error));
            let before = len()?;
            opened.deferred.release().map_err(|error| Error::io(&error))?;
            opened.redb.compact().map_err(Error::storage)?;
            Ok(Compacted { before, after: len()? })
        })
    }
}
