use std::path::Path;
use std::sync::{Arc, PoisonError};

use redb::{Database, DatabaseError, ReadableDatabase as _};

use super::error::{Error, Result};
use super::operation::waiting;
use super::read::ReadTx;
use super::transact::Transact;
use super::tx::Tx;
use super::writer::Writer;
use crate::clock::{Clock, SystemClock};
use crate::time::Timestamp;

/// How to open a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Bytes of redb's cache.
    pub cache: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            cache: 16 << 20,
        }
    }
}

/// The store: one file, one writer. Writes of several callers that meet are committed together.
///
/// Closing it, or dropping it, finishes what is queued.
#[derive(Debug)]
pub struct Store {
    writer: Writer,
    options: Options,
}

impl Store {
    /// Opens the store in this file, and makes it if it is not there.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] if another process has it open.
    pub fn open(path: &Path, options: Options) -> Result<Self> {
        let redb = Database::builder()
            .set_cache_size(options.cache)
            .create(path)
            .map_err(|error| match error {
                DatabaseError::DatabaseAlreadyOpen => Error::Busy {
                    path: path.to_owned(),
                },
                other => Error::storage(other),
            })?;
        Ok(Self {
            writer: Writer::start(redb, Arc::clone(&options.clock))?,
            options,
        })
    }

    /// The clock that was handed in.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.options.clock
    }
}

impl Store {
    /// How many operations are queued and not yet taken.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.writer.queued()
    }
}

impl Transact for Store {
    fn write<T, E>(
        &self,
        operation: impl Fn(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (operation, answer) = waiting(operation);
        self.writer.queue(operation)?;
        answer
            .recv()
            .unwrap_or_else(|_| Err(Error::internal("the store's writer is gone").into()))
    }

    fn now(&self) -> Timestamp {
        self.clock().now()
    }

    fn read<T, E>(&self, look: impl FnOnce(&ReadTx) -> Result<T, E>) -> Result<T, E>
    where
        E: From<Error>,
    {
        let redb = self
            .writer
            .shared
            .redb
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let open = redb.as_ref().ok_or_else(|| Error::storage("it is closed"))?;
        let transaction = open.begin_read().map_err(Error::storage)?;
        drop(redb);
        look(&ReadTx(transaction))
    }
}
