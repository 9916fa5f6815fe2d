use serde::Serialize;
use serde_json::{Value, json};

use super::error::Result;
use super::known::{KnownTable, OURS, hex, unhex};
use super::live::Store;
use super::quarantine::QUARANTINE;
use super::redact::{bytes_without_tokens, without_tokens};
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
    /// Calls `line` for each row of each table, tables and rows in order, with tokens and what is
    /// kept of them replaced. It reads by pages, so
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
                    let key = known
                        .and_then(|known| (known.key)(known.name, &key).ok())
                        .unwrap_or_else(|| hex(&bytes_without_tokens(&key)).into());
                    line(DumpLine { table: name.clone(), key, value: shown(&name, &value) })?;
                }
                after = Some(next);
            }
        }
        Ok(())
    }
}

/// A record as JSON, without tokens.
fn shown(table: &str, record: &[u8]) -> Value {
    let json = record.get(1..).and_then(|json| serde_json::from_slice::<Value>(json).ok());
    let Some(mut value) = json else {
        return json!({ "unreadable": hex(&bytes_without_tokens(record)) });
    };
    without_tokens(&mut value);
    if table == QUARANTINE.name()
        && let Some(Value::String(record)) = value.get_mut("record")
    {
        let bytes = unhex(record).unwrap_or_default();
        *record = hex(&bytes_without_tokens(&bytes));
    }
    value
}
