use redb::{DatabaseError, StorageError};
use serde::Serialize;

use super::dump::PAGE;
use super::error::{Error, Result};
use super::known::{KnownTable, OURS, hex};
use super::live::Store;
use super::read::ReadTx;
use super::transact::Transact as _;

/// Something that is wrong with a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The table; none if it is about the file.
    pub table: Option<String>,
    /// The key, in hexadecimal digits or as whoever checked writes it.
    pub key: Option<String>,
    /// What is wrong.
    pub what: String,
}

/// A check of somebody's own tables, such as that two of them agree.
pub type Check<'a> = &'a dyn Fn(&ReadTx) -> Result<Vec<Finding>>;

impl Store {
    /// Verifies every page of the file, that the records of the known tables can be read, and
    /// what `checks` verify; answers what is wrong. Nobody writes meanwhile.
    ///
    /// # Errors
    ///
    /// If somebody is reading at the same time, or the store failed.
    pub fn check(&self, tables: &[KnownTable], checks: &[Check<'_>]) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        let about_file = |what: String| Finding { table: None, key: None, what };
        match self.alone(|opened| Ok(opened.redb.check_integrity()))? {
            Ok(true) => {}
            Ok(false) => findings.push(about_file("its pages did not agree".to_owned())),
            Err(DatabaseError::Storage(StorageError::Corrupted(why))) => {
                return Ok(vec![about_file(why)]);
            }
            Err(other) => return Err(Error::storage(other)),
        }
        self.read(|r| {
            for table in OURS.iter().chain(tables) {
                let mut after: Option<Vec<u8>> = None;
                loop {
                    let rows = r.rows_after(table.name, after.as_deref(), PAGE)?;
                    let Some((last, _)) = rows.last() else { break };
                    let next = last.clone();
                    for (key, record) in rows {
                        let read = (table.key)(table.name, &key)
                            .and_then(|_| (table.record)(table.name, &record));
                        findings.extend(read.err().map(|error| Finding {
                            table: Some(table.name.to_owned()),
                            key: Some(hex(&key)),
                            what: error.to_string(),
                        }));
                    }
                    after = Some(next);
                }
            }
            for check in checks {
                findings.extend(check(r)?);
            }
            Ok(findings)
        })
    }
}
