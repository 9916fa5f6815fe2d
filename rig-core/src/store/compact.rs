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

/// A file of fewer bytes is small enough.
const WORTH: u64 = 32 << 20;

impl Store {
    /// Whether the file is over 32 MiB and more than half of it is free. Finding out reads all of a
    /// large file while nobody writes, so it is done for a store that is idle, and again only
    /// after 1000 commits; in between the answer is no.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn worth_compacting(&self) -> Result<bool> {
        self.lend(|opened| {
            let len = opened.deferred.len().map_err(|error| Error::io(&error))?;
            if len <= WORTH || !opened.changed_much() {
                return Ok(false);
            }
            let transaction = opened.redb.begin_write().map_err(Error::storage)?;
            let stats = transaction.stats().map_err(Error::storage)?;
            transaction.abort().map_err(Error::storage)?;
            let used = stats.allocated_pages().saturating_mul(stats.page_size() as u64);
            Ok(used < len / 2)
        })
    }

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
