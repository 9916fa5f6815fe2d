use rig_core::caller::Caller;
use rig_core::store::{Key, Read, Record, Result, Table, Tx};
use rig_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Settled records that are kept, per caller.
pub(crate) const KEPT: u64 = 1000;

/// How many records of one kind a caller has; on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Those that have a time armed.
    pub(crate) pending: u64,
    /// Those in a final state.
    pub(crate) settled: u64,
}

impl Record for Counts {}

/// The records of one kind by caller: counted, so that limits cost the same however many there are,
/// and the settled ones in the order in which they go.
pub(crate) struct Kept<I> {
    /// What it is called in events.
    pub(crate) kind: &'static str,
    /// By the time they were settled.
    pub(crate) settled: Table<(Caller, Timestamp, I), ()>,
    pub(crate) counts: Table<Caller, Counts>,
}

impl<I: Key + Copy + std::fmt::Display> Kept<I> {
    pub(crate) fn counts(&self, r: &impl Read, caller: Caller) -> Result<Counts> {
        Ok(r.get(self.counts, &caller)?.unwrap_or_default())
    }

    fn change(&self, tx: &Tx<'_>, caller: Caller, with: impl FnOnce(&mut Counts)) -> Result<()> {
        let mut counts = self.counts(tx, caller)?;
        with(&mut counts);
        match counts {
            Counts { pending: 0, settled: 0 } => tx.remove(self.counts, &caller).map(drop),
            counts => tx.put(self.counts, &caller, &counts),
        }
    }

    /// One more is pending.
    pub(crate) fn pend(&self, tx: &Tx<'_>, caller: Caller) -> Result<()> {
        self.change(tx, caller, |counts| counts.pending += 1)
    }

    /// One that was pending no longer is.
    pub(crate) fn unpend(&self, tx: &Tx<'_>, caller: Caller) -> Result<()> {
        self.change(tx, caller, |counts| counts.pending = counts.pending.saturating_sub(1))
    }

    /// One that is not pending is settled.
    pub(crate) fn settle(&self, tx: &Tx<'_>, caller: Caller, at: Timestamp, id: I) -> Result<()> {
        tx.put(self.settled, &(caller, at, id), &())?;
        self.change(tx, caller, |counts| counts.settled += 1)
    }

    /// One that was pending is settled.
    pub(crate) fn end(&self, tx: &Tx<'_>, caller: Caller, at: Timestamp, id: I) -> Result<()> {
        tx.put(self.settled, &(caller, at, id), &())?;
        self.change(tx, caller, |counts| {
            counts.pending = counts.pending.saturating_sub(1);
            counts.settled += 1;
        })
    }

    /// So many that were settled are gone.
    pub(crate) fn unsettle(&self, tx: &Tx<'_>, caller: Caller, many: usize) -> Result<()> {
        let many = u64::try_from(many).unwrap_or(u64::MAX);
        self.change(tx, caller, |counts| counts.settled = counts.settled.saturating_sub(many))
    }

    /// Removes the settled records of a caller that are too many, those first that were settled
    /// first. `forget` removes one with all its rows, or answers that it has to stay.
    pub(crate) fn prune(
        &self,
        tx: &Tx<'_>,
        caller: Caller,
        forget: impl Fn(&Tx<'_>, I) -> Result<bool>,
    ) -> Result<()> {
        let excess = self.counts(tx, caller)?.settled.saturating_sub(KEPT);
        if excess == 0 {
            return Ok(());
        }
        let excess = usize::try_from(excess).unwrap_or(usize::MAX);
        let mut pruned = Vec::new();
        for (key, ()) in tx.first_beginning_with(self.settled, &caller, excess)? {
            if forget(tx, key.2)? {
                tx.remove(self.settled, &key)?;
                pruned.push(key.2);
            }
        }
        if pruned.is_empty() {
            return Ok(());
        }
        self.unsettle(tx, caller, pruned.len())?;
        let about: Vec<&dyn std::fmt::Display> = pruned.iter().map(|id| id as _).collect();
        tx.event("records.pruned", &about, caller.agent(), &json!({ "kind": self.kind }))
    }
}
