use super::deliver::{Delivered, deliver, repeated};
use super::error::{Error, Result};
use super::message::NewMessage;
use crate::agent;
use crate::clock::Now;
use crate::store::Tx;

/// Sends a message: as [`deliver`], but an agent must have asked about the target before, even about
/// itself. The person need not.
///
/// # Errors
///
/// [`Error::HandshakeRequired`]; else as [`deliver`].
pub fn send(tx: &Tx<'_>, now: Now, new: &NewMessage) -> Result<Delivered> {
    agent::get(tx, new.to)?;
    if let Some(sender) = new.from.agent()
        && !agent::have_shaken_hands(tx, sender, new.to)?
    {
        return Err(Error::HandshakeRequired { agent: new.to });
    }
    if let Some(delivered) = repeated(tx, new)? {
        return Ok(delivered);
    }
    // A message that somebody sends is a new thing; one that was owed is not.
    tx.ensure_room()?;
    deliver(tx, now, new)
}
