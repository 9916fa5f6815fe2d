use serde::{Deserialize, Serialize};
use serde_json::json;

use super::error::{Error, Result};
use super::key::Key;
use super::known::hex;
use super::read::Read as _;
use super::table::{Record, Table};
use super::tx::Tx;
use crate::time::Timestamp;

/// Records that could not be read, by their table and key.
pub(super) const QUARANTINE: Table<(String, Vec<u8>), Quarantined> = Table::new("core/quarantine");

/// A record that could not be read. Bytes are hexadecimal digits.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Quarantined {
    at: Timestamp,
    why: String,
    record: String,
}

impl Record for Quarantined {}

impl Tx<'_> {
    /// Moves a record that cannot be read, with its bytes, to `core/quarantine`, and appends
    /// `store.quarantined`; answers whether there was one. Its rows in other tables are removed by
    /// who knows them, in the same transaction. A record of a newer build is left alone.
    ///
    /// # Errors
    ///
    /// [`Error::RecordNewer`] if that is why it cannot be read; or if the store failed.
    pub fn quarantine<K: Key, V: Record>(&self, table: Table<K, V>, key: &K) -> Result<bool> {
        let why = match self.get(table, key) {
            Ok(_) => return Ok(false),
            Err(Error::RecordUnreadable { why, .. }) => why,
            Err(other) => return Err(other),
        };
        let key = key.encoded();
        let record = self.raw(table.name(), &key)?.unwrap_or_default();
        let data = json!({ "table": table.name(), "key": hex(&key), "why": why });
        let quarantined = Quarantined { at: self.now(), why, record: hex(&record) };
        self.remove_raw(table.name(), &key)?;
        self.put(QUARANTINE, &(table.name().to_owned(), key), &quarantined)?;
        self.event("store.quarantined", &[], None, &data)?;
        Ok(true)
    }
}
