use serde_json::json;

use super::error::Result;
use super::live::Store;
use super::transact::Transact as _;
use super::tx::Tx;
use crate::clock::Now;

/// Milliseconds by which two clocks differ once one of them was set.
const STEP: i64 = 1000;

/// By how many milliseconds the wall clock was set between two readings, forward or back, as the
/// time since the machine was started tells; none if that is less than a second, or nobody knows.
#[must_use]
pub fn clock_step(before: &Now, now: &Now) -> Option<i64> {
    let passed = now.boot?.since(before.boot?)?;
    let passed = i64::try_from(passed.as_millis()).ok()?;
    let shown = now.wall.as_millis().checked_sub(before.wall.as_millis())?;
    shown.checked_sub(passed).filter(|ms| ms.abs() >= STEP)
}

impl Store {
    /// Compares two readings of the clock, as before and after a nap. If the wall clock was set
    /// meanwhile, by a second or more, it writes `clock.stepped` with the milliseconds and answers
    /// with them.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn look_at_clock(&self, before: &Now, now: &Now) -> Result<Option<i64>> {
        let step = clock_step(before, now);
        if let Some(ms) = step {
            self.write(move |tx| stepped(tx, ms))?;
        }
        Ok(step)
    }
}

/// Writes that the clock was set by so many milliseconds.
pub(super) fn stepped(tx: &Tx<'_>, ms: i64) -> Result<()> {
    tx.event("clock.stepped", &[], None, &json!({ "ms": ms }))
}
