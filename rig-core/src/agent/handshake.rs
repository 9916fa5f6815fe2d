use serde::{Deserialize, Serialize};

use super::error::Result;
use super::rows;
use crate::id::AgentId;
use crate::store::{Read, Record, Table, Tx};
use crate::time::Timestamp;

/// Who may send to whom: (sender, target).
pub(super) const HANDSHAKES: Table<(AgentId, AgentId), Handshake> = Table::new("core/handshakes");

/// That an agent has asked about another by its exact ID.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Handshake {
    /// When it first did.
    at: Timestamp,
}

impl Record for Handshake {}

/// Notes that `sender` has asked about `target`, so that it may send to it from now on. It does not
/// expire, and passes to no other agent. Noted again, it changes nothing.
///
/// # Errors
///
/// [`super::Error::AgentNotFound`] if there is no such target; or if the store failed.
pub fn shake_hands(tx: &Tx<'_>, sender: AgentId, target: AgentId) -> Result<()> {
    rows::get(tx, target)?;
    if !have_shaken_hands(tx, sender, target)? {
        tx.put(HANDSHAKES, &(sender, target), &Handshake { at: tx.now() })?;
    }
    Ok(())
}

/// Whether `sender` has asked about `target`.
///
/// # Errors
///
/// If the store failed.
pub fn have_shaken_hands(r: &impl Read, sender: AgentId, target: AgentId) -> Result<bool> {
    Ok(r.get(HANDSHAKES, &(sender, target))?.is_some())
}
