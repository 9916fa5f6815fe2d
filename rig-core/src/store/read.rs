use std::ops::{Bound, RangeBounds};

use redb::{ReadTransaction, ReadableTable, TableDefinition, TableError, TableHandle as _};

use super::error::{Error, Result};
use super::key::Key;
use super::table::{Record, Table, decode};

pub(super) type Raw<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

/// A row as it lies in the file.
pub type RawRow = (Vec<u8>, Vec<u8>);

/// What can be read from: a read transaction, or a write transaction with what it wrote so far.
pub trait Read {
    /// The bytes at a key.
    ///
    /// # Errors
    ///
    /// If the store failed.
    fn raw(&self, table: &'static str, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// At most `limit` rows between two keys, in order of their keys, from the end if `backwards`.
    ///
    /// # Errors
    ///
    /// If the store failed.
    fn raw_page(
        &self,
        table: &'static str,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        limit: usize,
        backwards: bool,
    ) -> Result<Vec<RawRow>>;

    /// The record at `key`.
    ///
    /// # Errors
    ///
    /// If the store failed, or the record is of a newer build or cannot be read.
    fn get<K: Key, V: Record>(&self, table: Table<K, V>, key: &K) -> Result<Option<V>>
    where
        Self: Sized,
    {
        let bytes = self.raw(table.name(), &key.encoded())?;
        bytes.map(|bytes| decode(table.name(), &bytes)).transpose()
    }

    /// At most `limit` records whose keys are in `range`, in order of their keys.
    ///
    /// # Errors
    ///
    /// As [`Read::get`].
    fn page<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        range: impl RangeBounds<K>,
        limit: usize,
    ) -> Result<Vec<(K, V)>>
    where
        Self: Sized,
    {
        typed(table, ranged(self, table, &range, limit, false)?)
    }

    /// At most `limit` records whose keys are in `range`, from the last to the first.
    ///
    /// # Errors
    ///
    /// As [`Read::get`].
    fn page_backwards<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        range: impl RangeBounds<K>,
        limit: usize,
    ) -> Result<Vec<(K, V)>>
    where
        Self: Sized,
    {
        typed(table, ranged(self, table, &range, limit, true)?)
    }

    /// All records whose keys begin with `prefix`, in order of their keys.
    ///
    /// # Errors
    ///
    /// As [`Read::get`].
    fn beginning_with<P: Key, K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        prefix: &P,
    ) -> Result<Vec<(K, V)>>
    where
        Self: Sized,
    {
        self.first_beginning_with(table, prefix, usize::MAX)
    }

    /// At most `limit` of the records whose keys begin with `prefix`, in order of their keys.
    ///
    /// # Errors
    ///
    /// As [`Read::get`].
    fn first_beginning_with<P: Key, K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        prefix: &P,
        limit: usize,
    ) -> Result<Vec<(K, V)>>
    where
        Self: Sized,
    {
        let prefix = prefix.encoded();
        let mut after = prefix.clone();
        // The first key that does not begin with the prefix: its last byte that can grow grown.
        while after.last() == Some(&0xff) {
            after.pop();
        }
        let to = match after.last_mut() {
            Some(last) => {
                *last += 1;
                Bound::Excluded(after.as_slice())
            }
            None => Bound::Unbounded,
        };
        typed(table, self.raw_page(table.name(), (Bound::Included(&prefix), to), limit, false)?)
    }
}

fn ranged<K: Key, V: Record>(
    r: &impl Read,
    table: Table<K, V>,
    range: &impl RangeBounds<K>,
    limit: usize,
    backwards: bool,
) -> Result<Vec<RawRow>> {
    let from = range.start_bound().map(Key::encoded);
    let to = range.end_bound().map(Key::encoded);
    let range = (from.as_ref().map(Vec::as_slice), to.as_ref().map(Vec::as_slice));
    r.raw_page(table.name(), range, limit, backwards)
}

fn typed<K: Key, V: Record>(table: Table<K, V>, rows: Vec<RawRow>) -> Result<Vec<(K, V)>> {
    let row = |(key, value): RawRow| Ok((key_of(table, &key)?, decode(table.name(), &value)?));
    rows.into_iter().map(row).collect()
}

pub(super) fn key_of<K: Key, V: Record>(table: Table<K, V>, key: &[u8]) -> Result<K> {
    let mut input = key;
    let key = K::decode(&mut input).filter(|_| input.is_empty());
    key.ok_or_else(|| Error::RecordUnreadable {
        table: table.name(),
        why: "its key is not one of this table".to_owned(),
    })
}

/// A read transaction: the store as it was when it began. It never leaves the function it is lent
/// to, so that nothing waits while it holds the file.
pub struct ReadTx(pub(super) ReadTransaction);

impl ReadTx {
    /// The names of the tables, in order.
    pub(super) fn tables(&self) -> Result<Vec<String>> {
        let tables = self.0.list_tables().map_err(Error::storage)?;
        let mut names: Vec<_> = tables.map(|table| table.name().to_owned()).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// At most `limit` rows after a key, of a table that need not be known.
    pub(super) fn rows_after(
        &self,
        table: &str,
        key: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<RawRow>> {
        let from = key.map_or(Bound::Unbounded, Bound::Excluded);
        self.page_of(table, (from, Bound::Unbounded), limit, false)
    }

    fn page_of(
        &self,
        table: &str,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        limit: usize,
        backwards: bool,
    ) -> Result<Vec<RawRow>> {
        match self.0.open_table(Raw::new(table)) {
            Ok(table) => page_of(&table, range, limit, backwards),
            Err(TableError::TableDoesNotExist(_)) => Ok(Vec::new()),
            Err(error) => Err(Error::storage(error)),
        }
    }
}

impl Read for ReadTx {
    fn raw(&self, table: &'static str, key: &[u8]) -> Result<Option<Vec<u8>>> {
        match self.0.open_table(Raw::new(table)) {
            Ok(table) => Ok(table.get(key).map_err(Error::storage)?.map(|v| v.value().to_vec())),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(Error::storage(error)),
        }
    }

    fn raw_page(
        &self,
        table: &'static str,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        limit: usize,
        backwards: bool,
    ) -> Result<Vec<RawRow>> {
        self.page_of(table, range, limit, backwards)
    }
}

pub(super) fn page_of(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    range: (Bound<&[u8]>, Bound<&[u8]>),
    limit: usize,
    backwards: bool,
) -> Result<Vec<RawRow>> {
    let mut rows = table.range::<&[u8]>(range).map_err(Error::storage)?;
    let mut page = Vec::new();
    while page.len() < limit {
        let next = if backwards { rows.next_back() } else { rows.next() };
        let Some(row) = next else { break };
        let (key, value) = row.map_err(Error::storage)?;
        page.push((key.value().to_vec(), value.value().to_vec()));
    }
    Ok(page)
}
