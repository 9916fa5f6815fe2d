use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use rig_core::clock::Now;
use rig_core::concurrency::{Forever, forever};
use rig_core::store::{Transact as _, clock_step, journal};
use rig_core::{due, failpoint};
use tokio::time::Instant;

use super::beat::UNTIL_WOKEN;
use super::core::Core;
use super::session::blocking;
use crate::node::error::Result;

/// Every so many passes it also looks after what is not urgent.
const LOOKS: u32 = 20;

/// Elapsed times that are moved to another start of the machine in one transaction.
const ANCHORED: usize = 1000;

impl Core {
    /// What comes before anybody is served: elapsed times are measured by the present start of the
    /// machine, and the first of what is due is done.
    pub(super) fn catch_up(&self) {
        let anchor = || -> Result<()> {
            loop {
                failpoint!("boot.anchoring");
                let now = self.opened;
                if !self.store.write(move |tx| due::anchor(tx, now, ANCHORED))? {
                    return Ok(());
                }
            }
        };
        if let Err(error) = anchor().and_then(|()| self.fire(self.opened).map(drop)) {
            // The timer tries again; whoever only wants to look may.
            tracing::error!(error = &error as &dyn std::error::Error, "cannot do what is due");
        }
    }

    /// Does what is due whenever it is, until the leader leaves.
    pub(super) fn start_timer(self: &Arc<Self>) {
        let options = Forever {
            shutdown: Some(self.shutdown.clone()),
            wake: Arc::clone(&self.due),
            on_error: Some(Box::new(|error, attempt| {
                let error = &**error as &dyn std::error::Error;
                tracing::error!(error, attempt, "cannot do what is due");
            })),
            ..Forever::new("timer", UNTIL_WOKEN)
        };
        let core = Arc::clone(self);
        let mut passes = 0_u32;
        tokio::spawn(forever(options, move || {
            let core = Arc::clone(&core);
            let look = !passes.is_multiple_of(LOOKS);
            passes = passes.wrapping_add(1);
            async move {
                if look && let Some(nap) = core.look_at_time()? {
                    return Ok(nap);
                }
                blocking(move || core.pass()).await
            }
        }));
    }

    /// How long the timer may nap, if that can be told without waiting for anybody: nothing is due,
    /// and nobody is at work.
    fn look_at_time(&self) -> Result<Option<Duration>> {
        let now = Now::read(self.store.clock());
        let mut read = self.read();
        let busy = self.store.low_space()
            || !self.requests.working().is_empty()
            || clock_step(&read, &now).is_some();
        if busy {
            return Ok(None);
        }
        *read = now;
        drop(read);
        let next = self.next_due(now)?;
        Ok(Some(nap(next)).filter(|nap| !nap.is_zero()))
    }

    /// One pass of the timer; answers how long it may nap.
    fn pass(&self) -> Result<Duration> {
        let now = Now::read(self.store.clock());
        let before = *self.read();
        match self.store.look_at_clock(&before, &now) {
            Ok(_) => *self.read() = now,
            // What is due is due even so.
            Err(error) => tracing::warn!(%error, "cannot tell that the clock was set"),
        }
        let next = self.fire(now)?;
        if next != Some(Duration::ZERO)
            && let Err(error) = self.tidy()
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "cannot tidy up");
        }
        Ok(nap(next))
    }

    fn read(&self) -> MutexGuard<'_, Now> {
        // A reading is whole after each change.
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on with what was due when the store was opened, until `end`.
    pub(super) fn fire_backlog(&self, end: Instant) -> Result<()> {
        while self.next_due(self.opened)? == Some(Duration::ZERO) && Instant::now() < end {
            self.fire(Now::read(self.store.clock()))?;
        }
        Ok(())
    }

    /// What is done while nothing is due.
    fn tidy(&self) -> Result<()> {
        if self.role.stays() {
            self.store.look_at_space()?;
        }
        let now = self.store.now();
        if self.store.read(|read| journal::is_overfull(read, now))? {
            self.store.write(journal::prune)?;
        }
        let idle = self.requests.working().is_empty() && self.works.is_idle();
        if self.role.stays() && idle && self.store.worth_compacting()? {
            self.store.compact()?;
        }
        Ok(())
    }
}

/// How long the timer may nap until something is due; the beat ends the longest nap.
fn nap(next: Option<Duration>) -> Duration {
    next.unwrap_or(UNTIL_WOKEN).min(UNTIL_WOKEN)
}
