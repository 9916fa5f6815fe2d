use std::cell::{Cell, RefCell};
use std::ops::Bound;
use std::sync::Arc;

use redb::{ReadableTable as _, WriteTransaction};
use serde::Serialize;

use super::deferred::Deferred;
use super::error::{Error, Result};
use super::key::Key;
use super::read::{Raw, RawRow, Read, page_of};
use super::table::{Record, Table, encode};
use crate::time::Timestamp;

type Open<'a> = redb::Table<'a, &'static [u8], &'static [u8]>;

/// A write transaction: what must not be torn apart is done in one.
///
/// The operation that it is lent to may run more than once, so it touches nothing else.
pub struct Tx<'a> {
    redb: &'a WriteTransaction,
    /// The tables that were used so far: opening one costs as much as a small write.
    tables: RefCell<Vec<(&'static str, Open<'a>)>>,
    /// The number of the last event, once one was appended.
    last_event: Cell<Option<u64>>,
    /// What has to know before anything is written.
    deferred: Option<&'a Deferred>,
    /// What the storage failed with.
    broken: RefCell<Option<Error>>,
    // From here on it is about the operation that runs.
    now: Cell<Timestamp>,
    wrote: Cell<bool>,
    bytes: Cell<usize>,
    events: Cell<usize>,
    /// Why there is no room to make new things.
    low: RefCell<Option<Arc<str>>>,
}

impl<'a> Tx<'a> {
    pub(super) fn new(
        redb: &'a WriteTransaction,
        now: Timestamp,
        deferred: Option<&'a Deferred>,
    ) -> Self {
        Self {
            redb,
            tables: RefCell::default(),
            last_event: Cell::new(None),
            deferred,
            broken: RefCell::default(),
            now: Cell::new(now),
            wrote: Cell::new(false),
            bytes: Cell::new(0),
            events: Cell::new(0),
            low: RefCell::default(),
        }
    }

    /// Begins the next operation of the transaction.
    pub(super) fn begin(&self, now: Timestamp, low: Option<Arc<str>>) {
        self.now.set(now);
        *self.low.borrow_mut() = low;
        self.wrote.set(false);
        self.bytes.set(0);
        self.events.set(0);
    }

    /// Lends a table, which is there from then on.
    fn table<T>(
        &self,
        name: &'static str,
        work: impl FnOnce(&mut Open<'a>) -> Result<T>,
    ) -> Result<T> {
        let mut tables = self.tables.borrow_mut();
        let at = if let Some(at) = tables.iter().position(|(open, _)| *open == name) {
            at
        } else {
            let table = self.redb.open_table(Raw::new(name));
            tables.push((name, self.storage(table)?));
            tables.len() - 1
        };
        work(&mut tables[at].1)
    }

    /// The number of the last event that this transaction appended.
    pub(super) fn last_event(&self) -> Option<u64> {
        self.last_event.get()
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

    pub(super) fn count_event(&self, number: u64) {
        self.last_event.set(Some(number));
        self.events.set(self.events.get() + 1);
    }

    /// Bytes of the keys and values written.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// The time of this operation, read once from the store's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now.get()
    }

    /// Says that this operation makes a new thing, and so needs room that what must go on does not
    /// leave it. It is called once the thing's identity was looked up, before anything is written;
    /// what only fires, ends, acknowledges or removes does not call it.
    ///
    /// # Errors
    ///
    /// [`Error::DiskFull`] while space is low.
    pub fn ensure_room(&self) -> Result<()> {
        match self.low.borrow().clone() {
            Some(why) => Err(Error::DiskFull { why }),
            None => Ok(()),
        }
    }

    /// Stores `record` at `key`, in place of what is there.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn put<K: Key, V: Record>(&self, table: Table<K, V>, key: &K, record: &V) -> Result<()> {
        self.put_as(table, key, record)
    }

    /// Stores what is written as a record of this table is.
    pub(super) fn put_as<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
        record: &impl Serialize,
    ) -> Result<()> {
        self.put_raw(table.name(), &key.encoded(), &encode::<V>(record)?)
    }

    /// Removes what is at `key`; answers whether anything was.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn remove<K: Key, V: Record>(&self, table: Table<K, V>, key: &K) -> Result<bool> {
        self.remove_raw(table.name(), &key.encoded())
    }

    fn put_raw(&self, table: &'static str, key: &[u8], value: &[u8]) -> Result<()> {
        self.begin_writing()?;
        self.bytes.set(self.bytes.get() + key.len() + value.len());
        self.table(table, |table| self.storage(table.insert(key, value)).map(drop))
    }

    pub(super) fn remove_raw(&self, table: &'static str, key: &[u8]) -> Result<bool> {
        self.table(table, |table| {
            // Removing what is not there is no write, so who has not written looks first.
            if !self.wrote.get() && self.storage(table.get(key))?.is_none() {
                return Ok(false);
            }
            self.begin_writing()?;
            let removed = self.storage(table.remove(key))?.is_some();
            self.bytes.set(self.bytes.get() + if removed { key.len() } else { 0 });
            Ok(removed)
        })
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
        self.table(table, |table| {
            let value = self.storage(table.get(key))?;
            Ok(value.map(|v| v.value().to_vec()))
        })
    }

    fn raw_page(
        &self,
        table: &'static str,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        limit: usize,
        backwards: bool,
    ) -> Result<Vec<RawRow>> {
        self.table(table, |table| {
            page_of(table, range, limit, backwards).map_err(|error| self.noted(error))
        })
    }
}
