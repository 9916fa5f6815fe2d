use std::cell::Cell;
use std::ops::Bound;

use redb::WriteTransaction;

use super::error::{Error, Result};
use super::key::Key;
use super::read::{Raw, RawRow, Read, page_of};
use super::table::{Record, Table, encode};
use crate::time::Timestamp;

/// A write transaction: what must not be torn apart is done in one.
///
/// The operation that it is lent to may run more than once, so it touches nothing else.
pub struct Tx<'a> {
    pub(super) redb: &'a WriteTransaction,
    pub(super) now: Timestamp,
    pub(super) wrote: Cell<bool>,
}

impl Tx<'_> {
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
        let bytes = encode(record)?;
        self.wrote.set(true);
        let mut table = self
            .redb
            .open_table(Raw::new(table.name()))
            .map_err(Error::storage)?;
        table
            .insert(key.encoded().as_slice(), bytes.as_slice())
            .map_err(Error::storage)?;
        Ok(())
    }

    /// Removes what is at `key`; answers whether anything was.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn remove<K: Key, V: Record>(&self, table: Table<K, V>, key: &K) -> Result<bool> {
        self.wrote.set(true);
        let mut table = self
            .redb
            .open_table(Raw::new(table.name()))
            .map_err(Error::storage)?;
        let removed = table
            .remove(key.encoded().as_slice())
            .map_err(Error::storage)?;
        Ok(removed.is_some())
    }
}

impl Read for Tx<'_> {
    fn raw(&self, table: &'static str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let table = self
            .redb
            .open_table(Raw::new(table))
            .map_err(Error::storage)?;
        let value = redb::ReadableTable::get(&table, key).map_err(Error::storage)?;
        Ok(value.map(|v| v.value().to_vec()))
    }

    fn raw_page(
        &self,
        table: &'static str,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        limit: usize,
        backwards: bool,
    ) -> Result<Vec<RawRow>> {
        let table = self
            .redb
            .open_table(Raw::new(table))
            .map_err(Error::storage)?;
        page_of(&table, range, limit, backwards)
    }
}
