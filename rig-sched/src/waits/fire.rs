use rig_core::clock::Now;
use rig_core::due;
use rig_core::id::WaitId;
use rig_core::store::{Error, Tx};

use super::end::end;
use super::outcome::Reason;
use super::rows::{WAITS, due_of, find, quarantine};
use super::wait::Wait;
use crate::error::Result;

/// Ends a wait that is due, if it is pending still, without pruning.
pub(crate) fn fire(tx: &Tx<'_>, now: Now, id: WaitId) -> Result<Option<Wait>> {
    match find(tx, id) {
        Ok(Some(wait)) if wait.ended.is_none() => end(tx, now, wait, Reason::Elapsed).map(Some),
        Ok(_) => {
            // Nothing has this time: whatever armed it is gone.
            due::disarm(tx, due_of(id))?;
            Ok(None)
        }
        Err(Error::RecordUnreadable { .. }) => {
            quarantine(tx, id)?;
            Ok(None)
        }
        Err(other) => Err(other.into()),
    }
}

/// Whether this build can settle the wait.
pub(crate) fn is_known(
    r: &impl rig_core::store::Read,
    id: WaitId,
) -> rig_core::store::Result<bool> {
    crate::fire::is_of_this_build(r, WAITS, &id)
}
