use std::time::Duration;

use rig_core::clock::Now;
use rig_core::failpoint;
use rig_core::store::Transact as _;

use super::core::Core;
use crate::node::error::{Error, Result};

/// Things that are done in one transaction.
const BATCH: usize = 100;

impl Core {
    /// How long it is until something is due; zero if something is.
    pub(super) fn next_due(&self, now: Now) -> Result<Option<Duration>> {
        Ok(self.store.read(|read| rig_sched::next_due(read, now))?)
    }

    /// Does the first of what is due, if something is, behind what others asked for meanwhile;
    /// answers as [`Core::next_due`] would then.
    pub(super) fn fire(&self, now: Now) -> Result<Option<Duration>> {
        let next = self.next_due(now)?;
        if next != Some(Duration::ZERO) {
            return Ok(next);
        }
        let next = self.store.write(move |tx| {
            let fired = rig_sched::fire(tx, now, BATCH)?;
            let next =
                if fired.left { Some(Duration::ZERO) } else { rig_sched::next_due(tx, now)? };
            failpoint!("fire.before_commit");
            Ok::<_, Error>(next)
        })?;
        failpoint!("fire.after_commit");
        Ok(next)
    }
}
