use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::WaitId;
use rig_core::store::{self, Read};
use rig_core::time::Timestamp;

use super::rows::{PENDING, find, find_batch, find_key};
use super::wait::Wait;
use crate::error::{Error, Result};

/// A key of [`PENDING`].
type Pending = (Caller, Timestamp, WaitId);

/// The wait of this ID, of the caller itself; the person sees any.
///
/// # Errors
///
/// [`Error::WaitNotFound`] if there is none, or it is another agent's; or if the store failed.
pub fn get(r: &impl Read, caller: Caller, id: WaitId) -> Result<Wait> {
    find(r, id)?
        .filter(|wait| caller == Caller::Person || caller == wait.caller)
        .ok_or(Error::WaitNotFound { id })
}

/// The wait that a call of the caller made.
///
/// # Errors
///
/// If the store failed.
pub fn by_key(r: &impl Read, caller: Caller, key: &CallKey) -> Result<Option<Wait>> {
    match find_key(r, caller, key)? {
        Some(id) => Ok(find(r, id)?),
        None => Ok(None),
    }
}

/// The waits that the calls of a batch made, by their index in it.
///
/// # Errors
///
/// If the store failed.
pub fn of_batch(r: &impl Read, caller: Caller, batch: &str) -> Result<Vec<Wait>> {
    readable(r, find_batch(r, caller, batch)?)
}

/// At most `limit` of a caller's pending waits, that first which is due first, then by ID. While
/// an agent has one it is waiting, as the first of them says.
///
/// # Errors
///
/// If the store failed.
pub fn pending_of(r: &impl Read, caller: Caller, limit: usize) -> Result<Vec<Wait>> {
    let ids = |rows: Vec<(Pending, ())>| rows.into_iter().map(|((.., id), ())| id);
    let first = r.first_beginning_with(PENDING, &caller, limit)?;
    let asked = first.len();
    let mut waits = readable(r, ids(first))?;
    if waits.len() < asked {
        // One that cannot be read hides none of those behind it.
        waits = readable(r, ids(r.beginning_with(PENDING, &caller)?))?;
        waits.truncate(limit);
    }
    Ok(waits)
}

/// Those of the waits that this build can read.
fn readable(r: &impl Read, ids: impl IntoIterator<Item = WaitId>) -> Result<Vec<Wait>> {
    let mut waits = Vec::new();
    for id in ids {
        match find(r, id) {
            Ok(wait) => waits.extend(wait),
            Err(store::Error::RecordUnreadable { .. } | store::Error::RecordNewer { .. }) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Ok(waits)
}
