use serde::Serialize;
use serde_json::Value;

use super::error::{Error, Result};
use super::journal::JOURNAL;
use super::key::Key;
use super::quarantine::QUARANTINE;
use super::read::key_of;
use super::schema::META;
use super::table::{Record, Table, decode};

/// What the tools have to know of a table: how its keys read, and whether a record can be read.
#[derive(Clone, Copy, Debug)]
pub struct KnownTable {
    pub(super) name: &'static str,
    pub(super) key: fn(&'static str, &[u8]) -> Result<Value>,
    pub(super) record: fn(&'static str, &[u8]) -> Result<()>,
}

impl<K: Key + Serialize, V: Record> Table<K, V> {
    /// The table as the tools know it.
    #[must_use]
    pub const fn known(self) -> KnownTable {
        KnownTable { name: self.name(), key: key_as_json::<K, V>, record: readable::<V> }
    }
}

/// The tables of the store itself.
pub(super) const OURS: [KnownTable; 3] = [META.known(), JOURNAL.known(), QUARANTINE.known()];

fn key_as_json<K: Key + Serialize, V: Record>(name: &'static str, key: &[u8]) -> Result<Value> {
    serde_json::to_value(key_of(Table::<K, V>::new(name), key)?).map_err(Error::internal)
}

fn readable<V: Record>(name: &'static str, record: &[u8]) -> Result<()> {
    decode::<V>(name, record).map(drop)
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes that these digits are; none if they are none.
pub(super) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}
