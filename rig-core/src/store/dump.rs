use serde::Serialize;
use serde_json::{Value, json};

use super::error::Result;
use super::known::{KnownTable, OURS, hex};
use super::live::Store;
use super::transact::Transact as _;

/// Rows that are read in one transaction.
pub(super) const PAGE: usize = 500;

/// A row for people and programs to read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DumpLine {
    /// The table's name.
    pub table: String,
    /// The key; hexadecimal digits if the table is not known.
    pub key: Value,
    /// The record; `{"unreadable": <hexadecimal digits>}` if it is no JSON.
    pub value: Value,
}

impl Store {
    /// Calls `line` for each row of each table, tables and rows in order. It reads by pages, so
    /// that no transaction is open meanwhile: rows that change while it goes on may be told as
    /// they were or as they are.
    ///
    /// # Errors
    ///
    /// What `line` failed with, or if the store failed.
    pub fn dump<E: From<super::Error>>(
        &self,
        tables: &[KnownTable],
        mut line: impl FnMut(DumpLine) -> Result<(), E>,
    ) -> Result<(), E> {
        for name in self.read(super::read::ReadTx::tables)? {
            let known = OURS.iter().chain(tables).find(|known| known.name == name);
            let mut after: Option<Vec<u8>> = None;
            loop {
                let rows = self.read(|r| r.rows_after(&name, after.as_deref(), PAGE))?;
                let Some((last, _)) = rows.last() else { break };
                let next = last.clone();
                for (key, value) in rows {
                    line(DumpLine {
                        table: name.clone(),
                        key: known
                            .and_then(|known| (known.key)(known.name, &key).ok())
                            .unwrap_or_else(|| hex(&key).into()),
                        value: value
                            .get(1..)
                            .and_then(|json| serde_json::from_slice(json).ok())
                            .unwrap_or_else(|| json!({ "unreadable": hex(&value) })),
                    })?;
                }
                after = Some(next);
            }
        }
        Ok(())
    }
}
