use std::cell::{Cell, RefCell};
use std::ops::Bound;

use redb::{ReadableTable as _, WriteTransaction};

use super::deferred::Deferred;
use super::error::{Error, Result};
use super::key::Key;
use super::read::{Raw, RawRow, Read, page_of};
use super::space::Space;
use super::table::{Record, Table, encode};
use crate::time::Timestamp;

/// A write transaction: what must not be torn apart is done in one.
///
/// The operation that it is lent to may run more than once, so it touches nothing else.
pub struct Tx<'a> {
    redb: &'a WriteTransaction,
    now: Timestamp,
    wrote: Cell<bool>,
    bytes: Cell<usize>,
    events: Cell<usize>,
    /// What has to know before anything is written.
    deferred: Option<&'a Deferred>,
    /// There is no room to make new things.
    low: bool,
    /// What the storage failed with.
    broken: RefCell<Option<Error>>,
}

impl<'a> Tx<'a> {
    pub(super) fn new(redb: &'a WriteTransaction, now: Timestamp) -> Self {
        Self {
            redb,
            now,
            wrote: Cell::new(false),
            bytes: Cell::new(0),
            events: Cell::new(0),
            deferred: None,
            low: false,
            broken: RefCell::default(),
        }
    }

    pub(super) fn of_operation(
        redb: &'a WriteTransaction,
        now: Timestamp,
        deferred: &'a Deferred,
        space: &Space,
    ) -> Self {
        Self { deferred: Some(deferred), low: space.is_low(), ..Self::new(redb, now) }
    }

    /// What the storage failed with, if it did.
    pub(super) fn broken(&self) -> Option<Error> {
        self.broken.borrow().clone()
    }

    fn storage<T>(&self, done: Result<T, impl Into<redb::Error>>) -> Result<T> {
        done.map_err(|error| self.noted(Error::storage(error)))
    }

    /// Keeps in mind that the storage failed.
    fn noted(&self, error: Error) -> Error {
        if matches!(error, Error::Failed { .. } | Error::DiskFull { .. }) {
            self.broken.borrow_mut().get_or_insert_with(|| error.clone());
        }
        error
    }

    /// Whether it may have written.
    pub(super) fn wrote(&self) -> bool {
        self.wrote.get()
    }

    /// Events appended.
    pub(super) fn events(&self) -> usize {
        self.events.get()
    }

    pub(super) fn count_event(&self) {
        self.events.set(self.events.get() + 1);
    }

    /// Bytes of the keys and values written.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// The time of this operation, read once from the store's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Says that this operation makes a new thing, and so needs room that what must go on does not
    /// leave it. It is called once the thing's identity was looked up, before anything is written;
    /// what only fires, ends, acknowledges or removes does not call it.
    ///
    /// # Errors
    ///
    /// [`Error::DiskFull`] while space is low.
    pub fn ensure_room(&self) -> Result<()> {
        if self.low {
            let why = "new things have to wait until 16 MiB are free";
            return Err(Error::DiskFull { why: why.into() });
        }
        Ok(())
    }

    /// Stores `record` at `key`, in place of what is there.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn put<K: Key, V: Record>(&self, table: Table<K, V>, key: &K, record: &V) -> Result<()> {
        self.put_raw(table.name(), &key.encoded(), &encode(record)?)
    }

    /// Removes what is at `key`; answers whether anything was.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn remove<K: Key, V: Record>(&self, table: Table<K, V>, key: &K) -> Result<bool> {
        self.remove_raw(table.name(), &key.encoded())
    }

    pub(super) fn put_raw(&self, table: &str, key: &[u8], value: &[u8]) -> Result<()> {
        self.begin_writing()?;
        self.bytes.set(self.bytes.get() + key.len() + value.len());
        let mut table = self.storage(self.redb.open_table(Raw::new(table)))?;
        self.storage(table.insert(key, value))?;
        Ok(())
    }

    pub(super) fn remove_raw(&self, table: &str, key: &[u8]) -> Result<bool> {
        let mut table = self.storage(self.redb.open_table(Raw::new(table)))?;
        // Removing what is not there writes nothing.
        if self.storage(table.get(key))?.is_none() {
            return Ok(false);
        }
        self.begin_writing()?;
        self.bytes.set(self.bytes.get() + key.len());
        self.storage(table.remove(key))?;
        Ok(true)
    }

    fn begin_writing(&self) -> Result<()> {
        if !self.wrote.replace(true)
            && let Some(deferred) = self.deferred
        {
            deferred.release().map_err(|error| self.noted(Error::io(&error)))?;
        }
        Ok(())
    }
}

impl Read for Tx<'_> {
    fn raw(&self, table: &'static str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let table = self.storage(self.redb.open_table(Raw::new(table)))?;
        let value = self.storage(table.get(key))?;
        Ok(value.map(|v| v.value().to_vec()))
    }

    fn raw_page(
        &self,
        table: &'static str,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        limit: usize,
        backwards: bool,
    ) -> Result<Vec<RawRow>> {
        let table = self.storage(self.redb.open_table(Raw::new(table)))?;
        page_of(&table, range, limit, backwards).map_err(|error| self.noted(error))
    }
}
