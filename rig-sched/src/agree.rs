//! Whether records and their rows agree one to one, and the tables in which they are.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

use rig_core::caller::Caller;
use rig_core::due::{self, Due, Owner};
use rig_core::id::AgentId;
use rig_core::store::{Finding, Key, Read, ReadTx, Record, Result, Table};
use serde::Serialize;

use crate::kept::Counts;

/// Rows that are read together.
const PAGE: usize = 500;

/// What was found wrong so far.
pub(crate) struct Agree<'a> {
    read: &'a ReadTx,
    counts: BTreeMap<Option<AgentId>, Counts>,
    findings: Vec<Finding>,
}

impl<'a> Agree<'a> {
    pub(crate) fn new(read: &'a ReadTx) -> Self {
        Self { read, counts: BTreeMap::new(), findings: Vec::new() }
    }

    /// A record has this row in an index.
    pub(crate) fn has<K: Key + Serialize, V: Record + PartialEq>(
        &mut self,
        table: Table<K, V>,
        key: &K,
        row: &V,
    ) -> Result<()> {
        if self.read.get(table, key)?.as_ref() != Some(row) {
            self.find(table.name(), key, "a record has no such row in this index");
        }
        Ok(())
    }

    /// A record has a time armed, or has not.
    pub(crate) fn is_armed(&mut self, due: Due, armed: bool) -> Result<()> {
        if due::is_armed(self.read, due)? != armed {
            let what =
                if armed { "it is pending, and not armed" } else { "it is settled, and armed" };
            self.find("core/due", &due, what);
        }
        Ok(())
    }

    /// How many records of a caller there are.
    pub(crate) fn of(&mut self, caller: Caller) -> &mut Counts {
        self.counts.entry(caller.agent()).or_default()
    }

    /// Each row of an index is that of a record.
    pub(crate) fn belongs<K: Key + Serialize, V: Record>(
        &mut self,
        table: Table<K, V>,
        is_of_record: impl Fn(&K, &V) -> bool,
    ) -> Result<()> {
        for key in keys(self.read, table, |_| true)? {
            if self.read.get(table, &key)?.is_some_and(|row| !is_of_record(&key, &row)) {
                self.find(table.name(), &key, "no record has this row of the index");
            }
        }
        Ok(())
    }

    /// Each time that is armed is that of a record.
    pub(crate) fn due(
        &mut self,
        owner: Owner,
        is_there: impl Fn(u128) -> Result<bool>,
    ) -> Result<()> {
        for due in due::armed(self.read, owner)? {
            if !is_there(due.id)? {
                self.find("core/due", &due, "it is armed, and not there");
            }
        }
        Ok(())
    }

    /// Each caller has as many records as were counted. Answers all that was found.
    pub(crate) fn counted(mut self, table: Table<Caller, Counts>) -> Result<Vec<Finding>> {
        let stored: BTreeMap<_, _> = self
            .read
            .page(table, .., usize::MAX)?
            .into_iter()
            .map(|(caller, counts)| (caller.agent(), counts))
            .collect();
        let callers: BTreeSet<_> = stored.keys().chain(self.counts.keys()).copied().collect();
        for agent in callers {
            let there = self.counts.get(&agent).copied().unwrap_or_default();
            let counted = stored.get(&agent).copied().unwrap_or_default();
            let caller = agent.map_or(Caller::Person, Caller::Agent);
            if there != counted {
                let what = format!(
                    "there are {} pending and {} settled, and {} and {} were counted",
                    there.pending, there.settled, counted.pending, counted.settled
                );
                self.find(table.name(), &caller, &what);
            }
        }
        Ok(self.findings)
    }

    fn find(&mut self, table: &str, key: &impl Serialize, what: &str) {
        self.findings.push(Finding {
            table: Some(table.to_owned()),
            key: serde_json::to_string(key).ok(),
            what: what.to_owned(),
        });
    }
}

/// The keys of a table that are `wanted`, in order. Only keys are read, so that records that cannot
/// be read are found too.
pub(crate) fn keys<K: Key, V: Record>(
    r: &impl Read,
    table: Table<K, V>,
    wanted: impl Fn(&K) -> bool,
) -> Result<Vec<K>> {
    let mut found = Vec::new();
    let mut after: Option<Vec<u8>> = None;
    loop {
        let from = after.as_deref().map_or(Unbounded, Excluded);
        let rows = r.raw_page(table.name(), (from, Unbounded), PAGE, false)?;
        let keys = rows.iter().filter_map(|(key, _)| K::decode(&mut key.as_slice()));
        found.extend(keys.filter(|key| wanted(key)));
        match rows.into_iter().next_back() {
            Some((last, _)) => after = Some(last),
            None => return Ok(found),
        }
    }
}
