use super::deliver::{Delivered, deliver};
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
    deliver(tx, now, new)
}
