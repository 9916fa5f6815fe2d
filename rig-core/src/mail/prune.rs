use std::time::Duration;

use super::message::Content;
use super::rows::{
    ACKS, BY_SENDER, IDS, KEYS, MAIL, Mailbox, REMEMBERED, Remembered, Stored, key_of, next,
};
use super::sender::Sender;
use crate::call_key::CallKey;
use crate::id::{AgentId, MessageId};
use crate::store::{Read as _, Result, Tx};
use crate::time::Timestamp;

/// How long a message is kept once it is acknowledged, and an ID at least.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// Acknowledged messages that are kept.
const KEPT_MESSAGES: u64 = 1000;

/// Rows that are removed at a time.
const PRUNED: usize = 100;

/// Removes what a mailbox need not keep, at most 100 messages and remembered IDs; answers the
/// highest number that is pruned.
pub(super) fn prune(tx: &Tx<'_>, now: Timestamp, agent: AgentId, mailbox: Mailbox) -> Result<u64> {
    let over = mailbox.acked.saturating_sub(KEPT_MESSAGES);
    let to = over.max(aged(tx, now, agent)?);
    let (mut pruned, mut left) = (mailbox.pruned, PRUNED);
    while left > 0 && pruned < to {
        let Some(found) = next(tx, agent, pruned, to)? else {
            pruned = to;
            break;
        };
        pruned = found.stored.message.seq;
        remove(tx, now, agent, found.stored)?;
        left -= 1;
    }
    for (key, _) in tx.page(ACKS, (agent, 0)..=(agent, pruned), PRUNED)? {
        tx.remove(ACKS, &key)?;
    }
    for (place, kept) in tx.page(REMEMBERED, (agent, 0)..=(agent, u64::MAX), left)? {
        if now.since(kept.at) <= KEPT {
            break;
        }
        tx.remove(REMEMBERED, &place)?;
        forget(tx, agent, kept.from, kept.id, kept.key.as_ref())?;
    }
    Ok(pruned)
}

/// Up to which number the acknowledgements are past their time.
fn aged(tx: &Tx<'_>, now: Timestamp, agent: AgentId) -> Result<u64> {
    let oldest = tx.page(ACKS, (agent, 0)..=(agent, u64::MAX), PRUNED)?;
    let aged = oldest.into_iter().take_while(|(_, acked)| now.since(acked.at) > KEPT);
    Ok(aged.last().map_or(0, |((_, seq), _)| seq))
}

/// Removes a message, and remembers its ID if it is young.
fn remove(tx: &Tx<'_>, now: Timestamp, agent: AgentId, stored: Stored) -> Result<()> {
    let (from, seq) = (stored.message.from.sender(), stored.message.seq);
    tx.remove(MAIL, &(agent, seq))?;
    tx.remove(BY_SENDER, &(agent, (from, seq)))?;
    let (id, at) = (stored.message.id, stored.message.at);
    if now.since(at) > KEPT {
        return forget(tx, agent, from, id, stored.key.as_ref());
    }
    let content = Content::of_stored(&stored.message).digest();
    let Stored { key, reception, .. } = stored;
    tx.put(REMEMBERED, &(agent, seq), &Remembered { id, at, from, key, reception, content })
}

fn forget(
    tx: &Tx<'_>,
    agent: AgentId,
    from: Sender,
    id: MessageId,
    key: Option<&CallKey>,
) -> Result<()> {
    tx.remove(IDS, &(agent, (from, id)))?;
    if let Some(key) = key {
        tx.remove(KEYS, &key_of(agent, from, key))?;
    }
    Ok(())
}
