use rig_core::store::{DumpLine, Error as StoreError, Finding, Store};
use rig_git::{TABLES, agree};

use super::error::{Error, Result};
use super::open::{Handle, Node};
use crate::operations::{CheckStore, CheckedStore, CompactStore, CompactedStore, StoreFinding};

impl Handle<CheckStore> for Node {
    fn handle(&self, CheckStore {}: CheckStore) -> Result<CheckedStore> {
        let found = self.store()?.alone(|store| store.check(TABLES, &[&agree]))?;
        let shown = |Finding { table, key, what }| StoreFinding { table, key, what };
        Ok(CheckedStore { findings: found.into_iter().map(shown).collect() })
    }
}

impl Handle<CompactStore> for Node {
    fn handle(&self, CompactStore {}: CompactStore) -> Result<CompactedStore> {
        let compacted = self.store()?.alone(Store::compact)?;
        Ok(CompactedStore { before: compacted.before, after: compacted.after })
    }
}

impl Node {
    /// Every row of the store, a line of JSON each. It is gathered before anybody reads it, so that
    /// a slow reader keeps nobody from the store.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn dump(&self) -> Result<Vec<u8>> {
        let mut lines = Vec::new();
        self.store()?.alone(|store| {
            store.dump(TABLES, |line: DumpLine| {
                let written = serde_json::to_writer(&mut lines, &line);
                written.map_err(|error| StoreError::Internal { why: error.to_string().into() })?;
                lines.push(b'\n');
                Ok::<_, Error>(())
            })
        })?;
        Ok(lines)
    }
}
