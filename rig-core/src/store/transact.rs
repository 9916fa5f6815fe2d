use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use redb::{Database, ReadableDatabase as _};

use super::error::{Error, Result};
use super::read::ReadTx;
use super::tx::Tx;
use crate::clock::{Clock, SystemClock};

/// Runs transactions: a [`Store`], or something that opens one for as long as a transaction takes.
pub trait Transact {
    /// Runs `operation` in a write transaction and returns its value after the commit.
    ///
    /// The operation may run more than once: it owns what it reads and touches nothing but its
    /// [`Tx`]. If it fails, nothing of it is left.
    ///
    /// # Errors
    ///
    /// What the operation failed with, or the store's own error.
    fn write<T, E>(
        &self,
        operation: impl Fn(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static;

    /// Lends `look` a read transaction that sees every write acknowledged before it began.
    ///
    /// # Errors
    ///
    /// What `look` failed with, or the store's own error.
    fn read<T, E>(&self, look: impl FnOnce(&ReadTx) -> Result<T, E>) -> Result<T, E>
    where
        E: From<Error>;
}

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

/// The store. (First form: the store's own change replaces it.)
#[derive(Debug)]
pub struct Store {
    redb: Database,
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
            .map_err(Error::storage)?;
        Ok(Self { redb, options })
    }

    /// The clock that was handed in.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.options.clock
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
        let redb = self.redb.begin_write().map_err(Error::storage)?;
        let tx = Tx {
            redb: &redb,
            now: self.options.clock.now(),
            wrote: Cell::new(false),
        };
        let value = operation(&tx)?;
        drop(tx);
        redb.commit().map_err(Error::storage)?;
        Ok(value)
    }

    fn read<T, E>(&self, look: impl FnOnce(&ReadTx) -> Result<T, E>) -> Result<T, E>
    where
        E: From<Error>,
    {
        look(&ReadTx(self.redb.begin_read().map_err(Error::storage)?))
    }
}
