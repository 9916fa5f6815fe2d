use std::cell::Cell;
use std::ops::Bound;

use redb::{ReadableTable as _, WriteTransaction};

use super::deferred::Deferred;
use super::error::{Error, Result};
use super::key::Key;
use super::read::{Raw, RawRow, Read, page_of};
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
}

impl<'a> Tx<'a> {
    pub(super) fn new(
        redb: &'a WriteTransaction,
        now: Timestamp,
        deferred: Option<&'a Deferred>,
    ) -> Self {
        Self {
            redb,
            now,
            wrote: Cell::new(false),
            bytes: Cell::new(0),
            events: Cell::new(0),
            deferred,
        }
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
        let mut table = self.redb.open_table(Raw::new(table)).map_err(Error::storage)?;
        table.insert(key, value).map_err(Error::storage)?;
        Ok(())
    }

    pub(super) fn remove_raw(&self, table: &str, key: &[u8]) -> Result<bool> {
        let mut table = self.redb.open_table(Raw::new(table)).map_err(Error::storage)?;
        // Removing what is not there writes nothing.
        if table.get(key).map_err(Error::storage)?.is_none() {
            return Ok(false);
        }
        self.begin_writing()?;
        self.bytes.set(self.bytes.get() + key.len());
        table.remove(key).map_err(Error::storage)?;
        Ok(true)
    }

    fn begin_writing(&self) -> Result<()> {
        if !self.wrote.replace(true)
            && let Some(deferred) = self.deferred
        {
            deferred.release().map_err(|error| Error::io(&error))?;
        }
        Ok(())
    }
}

impl Read for Tx<'_> {
    fn raw(&self, table: &'static str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let table = self.redb.open_table(Raw::new(table)).map_err(Error::storage)?;
        let value = table.get(key).map_err(Error::storage)?;
        Ok(value.map(|v| v.value().to_vec()))
    }

    fn raw_page(
        &self,
        table: &'static str,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        limit: usize,
        backwards: bool,
    ) -> Result<Vec<RawRow>> {
        let table = self.redb.open_table(Raw::new(table)).map_err(Error::storage)?;
        page_of(&table, range, limit, backwards)
    }
}
