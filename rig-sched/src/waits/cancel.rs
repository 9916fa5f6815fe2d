use rig_core::caller::Caller;
use rig_core::clock::Now;
use rig_core::id::WaitId;
use rig_core::store::Tx;

use super::end::end;
use super::look::get;
use super::outcome::Reason;
use super::rows::prune;
use super::wait::Wait;
use crate::error::{Error, Result};

/// What came of cancelling a wait.
#[derive(Clone, Debug, PartialEq)]
pub struct Cancelled {
    /// The wait, which has ended.
    pub wait: Wait,
    /// Whether it is cancelled, now or since before.
    pub cancelled: bool,
}

impl Cancelled {
    /// The error for whoever takes it for one that the wait ended otherwise: `wait_settled`.
    #[must_use]
    pub fn refusal(&self) -> Option<Error> {
        let ended = self.wait.ended.filter(|_| !self.cancelled)?;
        let (id, state, at) = (self.wait.id, ended.reason.name(), ended.at);
        Some(Error::WaitSettled { id, state, at })
    }
}

/// Cancels a wait of the caller's own; the person cancels any. One that is due by now has elapsed,
/// and one that has ended stays as it is.
///
/// # Errors
///
/// [`Error::WaitNotFound`] if there is none, or it is another agent's; or if the store failed.
pub fn cancel(tx: &Tx<'_>, now: Now, caller: Caller, id: WaitId) -> Result<Cancelled> {
    let mut wait = get(tx, caller, id)?;
    if wait.ended.is_none() {
        wait = end(tx, now, wait, Reason::Cancelled)?;
        prune(tx, wait.caller)?;
    }
    let cancelled = wait.ended.is_some_and(|ended| ended.reason == Reason::Cancelled);
    Ok(Cancelled { wait, cancelled })
}
