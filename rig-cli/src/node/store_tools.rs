use std::sync::Arc;

use rig_core::store::KnownTable;
use rig_core::store::{DumpLine, Error as StoreError, Finding};
use rig_core::{agent, due, mail};

use super::error::{Error, Result};
use super::leader::{Handle, Hold, Items, Session, blocking};
use crate::operations::{
    CheckStore, CheckedStore, CompactStore, CompactedStore, DumpStore, Dumped, StoreFinding,
};

/// The tables of all crates.
fn tables() -> Vec<KnownTable> {
    [agent::TABLES, mail::TABLES, due::TABLES, rig_git::TABLES, rig_sched::TABLES].concat()
}

impl Handle<CheckStore> for Session {
    fn handle(&self, CheckStore {}: CheckStore) -> Result<CheckedStore> {
        let found = self.store().check(
            &tables(),
            &[&agent::agree, &mail::agree, &due::agree, &rig_git::agree, &rig_sched::agree],
        )?;
        let shown = |Finding { table, key, what }| StoreFinding { table, key, what };
        Ok(CheckedStore { findings: found.into_iter().map(shown).collect() })
    }
}

impl Handle<CompactStore> for Session {
    fn handle(&self, CompactStore {}: CompactStore) -> Result<CompactedStore> {
        let compacted = self.store().compact()?;
        Ok(CompactedStore { before: compacted.before, after: compacted.after })
    }
}

impl Hold<DumpStore> for Session {
    /// The rows are gathered before anybody reads them, so that a slow reader keeps nobody from the
    /// store.
    async fn hold(self, DumpStore {}: DumpStore, items: Items) -> Result<Dumped> {
        let core = Arc::clone(&self.core);
        let rows = blocking(move || {
            let mut rows = Vec::new();
            core.store.dump(&tables(), |line: DumpLine| {
                let row = serde_json::value::to_raw_value(&line);
                rows.push(
                    row.map_err(|error| StoreError::Internal { why: error.to_string().into() })?,
                );
                Ok::<_, Error>(())
            })?;
            Ok(rows)
        });
        let rows = rows.await?;
        for row in &rows {
            items.send(row).await;
        }
        Ok(Dumped { rows: rows.len() as u64 })
    }
}
