use std::fmt;
use std::path::Path;
use std::sync::Arc;

use redb::backends::{FileBackend, InMemoryBackend};
use redb::{Database, DatabaseError, ReadOnlyDatabase, ReadableDatabase as _};

use super::error::{Error, Result};
use super::file;
use super::live::Store;
use super::opened::{Opened, Place, corrupt, refused};
use super::operation::caught;
use super::options::Options;
use super::read::ReadTx;
use super::schema;

/// A store that is only read: its file is not written to, and other readers may have it open.
pub struct ReadOnly(Reader);

enum Reader {
    /// The file was left well: readers share it.
    Shared(ReadOnlyDatabase),
    /// The last owner died: what redb recovers is kept in memory, and nobody else reads meanwhile.
    Alone(Opened),
}

impl Store {
    /// Opens the store in this file for reading. One that is not there is read as an empty one.
    ///
    /// # Errors
    ///
    /// As [`Store::open`]: [`Error::Busy`] at once if another process has it open for writing.
    pub fn open_read_only(path: &Path, options: &Options) -> Result<ReadOnly> {
        let Some(file) = file::open_for_reading(path)? else {
            let nothing = Place::Backend(Arc::new(InMemoryBackend::new()));
            return Ok(ReadOnly(Reader::Alone(Opened::open(&nothing, options)?)));
        };
        if let Some(shared) = share(path, file, options)? {
            return Ok(ReadOnly(Reader::Shared(shared)));
        }
        let alone = Opened::open(&Place::File(path.to_owned()), options)?;
        Ok(ReadOnly(Reader::Alone(alone)))
    }
}

impl fmt::Debug for ReadOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadOnly")
    }
}

impl ReadOnly {
    /// Lends `look` a read transaction.
    ///
    /// # Errors
    ///
    /// What `look` failed with, or the store's own error.
    pub fn read<T, E>(&self, look: impl FnOnce(&ReadTx) -> Result<T, E>) -> Result<T, E>
    where
        E: From<Error>,
    {
        let transaction = match &self.0 {
            Reader::Shared(redb) => redb.begin_read().map(ReadTx).map_err(Error::storage)?,
            Reader::Alone(opened) => opened.read()?,
        };
        look(&transaction)
    }
}

/// The file as one of its readers; none if it has to be repaired or migrated first.
fn share(path: &Path, file: FileBackend, options: &Options) -> Result<Option<ReadOnlyDatabase>> {
    let mut redb = Database::builder();
    redb.set_cache_size(options.cache);
    // redb may panic on a file that was damaged.
    let shared = caught(|| redb.open_read_only_with_backend(file));
    let shared = match shared.map_err(|panic| corrupt(path, &panic.to_string()))? {
        Err(DatabaseError::RepairAborted) => return Ok(None),
        other => other.map_err(|error| refused(path, error))?,
    };
    let found = schema::schema(&ReadTx(shared.begin_read().map_err(Error::storage)?))?;
    match found {
        Some(found) if found > options.schema() => {
            Err(Error::Newer { path: path.to_owned(), found, known: options.schema() })
        }
        found => Ok(Some(shared).filter(|_| found == Some(options.schema()))),
    }
}
