use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::WaitId;
use rig_core::store::Read;

use super::rows::{PENDING, find, find_batch, find_key};
use super::wait::Wait;
use crate::error::{Error, Result};

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
    let mut waits = Vec::new();
    for id in find_batch(r, caller, batch)? {
        waits.extend(find(r, id)?);
    }
    Ok(waits)
}

/// At most `limit` of a caller's pending waits, that first which is due first, then by ID. While
/// an agent has one it is waiting, as the first of them says.
///
/// # Errors
///
/// If the store failed.
pub fn pending_of(r: &impl Read, caller: Caller, limit: usize) -> Result<Vec<Wait>> {
    let mut waits = Vec::new();
    for ((_, _, id), ()) in r.first_beginning_with(PENDING, &caller, limit)? {
        waits.extend(find(r, id)?);
    }
    Ok(waits)
}
