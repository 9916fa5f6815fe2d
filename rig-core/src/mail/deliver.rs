use serde::Serialize;

use super::error::{Error, Full, Result};
use super::message::{Content, Differing, Message, NewMessage, Reception};
use super::rows::{
    At, BY_SENDER, IDS, KEYS, MAIL, MAILBOXES, Mailbox, Nth, REMEMBERED, Stored, key_of, mailbox,
    touch,
};
use super::sender::{Origin, Sender};
use crate::agent::{self, Agent};
use crate::clock::Now;
use crate::id::{AgentId, MessageId};
use crate::store::{Read, Tx};

/// Unacknowledged messages that a mailbox holds.
pub const MAX_MESSAGES: u64 = 200_000;

/// Bytes of those messages' bodies.
pub const MAX_BYTES: u64 = 256 << 20;

/// Those of the messages that are from one agent.
pub const MAX_FROM_SENDER: u64 = 10_000;

/// A message that is in its mailbox. Whoever keeps the waits of agents is to be told in the same
/// transaction: a new one ends those of its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Whose mailbox it is.
    pub agent: AgentId,
    /// Its place there.
    pub seq: u64,
    /// Whether it was put there now, or by the same message before.
    pub new: bool,
    /// Its ID.
    pub id: MessageId,
    /// What became of it when it was delivered.
    pub reception: Reception,
}

/// Puts a message into a mailbox. Its ID and its key each count once per sender and target: again
/// with the same content, it answers as the first time and changes nothing.
///
/// The next message from the person or from its parent puts an archived agent back on the lists.
/// However full the mailbox is, this costs the same.
///
/// # Errors
///
/// [`agent::Error::AgentNotFound`] if there is no such target or no such sender;
/// [`Error::IdConflict`], [`Error::KeyConflict`]; [`Error::MailboxFull`], though never for what the
/// person or Rig itself sends, nor for answers, completions and suspensions; or if the store failed.
pub fn deliver(tx: &Tx<'_>, now: Now, new: &NewMessage) -> Result<Delivered> {
    if let Some(delivered) = repeated(tx, new)? {
        return Ok(delivered);
    }
    let target = agent::get(tx, new.to)?;
    let sender = new.from.agent().map(|sender| agent::get(tx, sender)).transpose()?;
    let before = mailbox(tx, target.id)?;
    let nth = nth(tx, new, before)?;
    let bytes = new.body.as_str().len() as u64;
    let after = Mailbox {
        next: before.next + 1,
        bytes: before.bytes + bytes,
        active_at: Some(now.wall),
        ..before
    };
    let (seq, id) = (before.next, new.id.unwrap_or_else(|| MessageId::generate(now.wall)));
    let stored = Stored {
        message: Message {
            seq,
            id,
            at: now.wall,
            kind: new.kind,
            from: origin(new.from, sender.as_ref(), &target),
            about: new.about.clone(),
            data: new.data.clone(),
            body: new.body.clone(),
        },
        key: new.key.clone(),
        reception: new.reception,
        through: after.bytes,
    };
    tx.put(MAIL, &(target.id, seq), &stored)?;
    tx.put(MAILBOXES, &target.id, &after)?;
    tx.put(BY_SENDER, &(target.id, (new.from, seq)), &Nth { nth })?;
    tx.put(IDS, &(target.id, (new.from, id)), &At { seq })?;
    if let Some(key) = &new.key {
        tx.put(KEYS, &key_of(target.id, new.from, key), &At { seq })?;
    }
    if new.from == Sender::Person || new.from.agent().is_some_and(|id| target.parent == Some(id)) {
        agent::restore(tx, now, &target)?;
    }
    if let Some(sender) = sender.filter(|sender| sender.id != target.id) {
        touch(tx, sender.id, now.wall)?;
    }
    tell(tx, new, seq, id)?;
    Ok(Delivered { agent: target.id, seq, new: true, id, reception: new.reception })
}

fn origin(from: Sender, sender: Option<&Agent>, target: &Agent) -> Origin {
    match (sender, from) {
        (Some(sender), _) => Origin::of(sender, target),
        (None, Sender::Person) => Origin::Person,
        (None, _) => Origin::Rig,
    }
}

/// What was delivered under this ID or key before.
pub(super) fn repeated(tx: &Tx<'_>, new: &NewMessage) -> Result<Option<Delivered>> {
    if let Some(id) = new.id
        && let Some(At { seq }) = tx.get(IDS, &(new.to, (new.from, id)))?
    {
        return same(tx, new, seq, |Differing { field, stored, given }| Error::IdConflict {
            id,
            field,
            stored,
            given,
        })
        .map(Some);
    }
    if let Some(key) = &new.key
        && let Some(At { seq }) = tx.get(KEYS, &key_of(new.to, new.from, key))?
    {
        return same(tx, new, seq, |Differing { field, stored, given }| Error::KeyConflict {
            key: key.to_string(),
            field,
            stored,
            given,
        })
        .map(Some);
    }
    Ok(None)
}

/// The message at `seq` as it was delivered, if it has the same content.
fn same(
    tx: &Tx<'_>,
    new: &NewMessage,
    seq: u64,
    conflict: impl Fn(Differing) -> Error,
) -> Result<Delivered> {
    let given = Content::of_new(new);
    let place = (new.to, seq);
    let (id, reception) = if let Some(stored) = tx.get(MAIL, &place)? {
        if let Some(differing) = Content::of_stored(&stored.message).differing(&given) {
            return Err(conflict(differing));
        }
        (stored.message.id, stored.reception)
    } else if let Some(left) = tx.get(REMEMBERED, &place)? {
        if left.content != given.digest() {
            let stored = "a message that is no longer kept".to_owned();
            let given = format!("{} characters", new.body.characters());
            return Err(conflict(Differing { field: "message", stored, given }));
        }
        (left.id, left.reception)
    } else {
        let why = "a message that its index names is gone";
        return Err(crate::store::Error::internal(why).into());
    };
    Ok(Delivered { agent: new.to, seq, new: false, id, reception })
}

/// The how manieth of its sender the message is, if there is room for it.
fn nth(tx: &Tx<'_>, new: &NewMessage, mailbox: Mailbox) -> Result<u64> {
    let of_sender = |seq| (new.to, (new.from, seq));
    let all = of_sender(0)..=of_sender(u64::MAX);
    let newest = tx.page_backwards(BY_SENDER, all, 1)?;
    let nth = newest.first().map_or(1, |(_, newest)| newest.nth + 1);
    if new.from.agent().is_none() || new.kind.must_arrive() {
        return Ok(nth);
    }
    let full = |full| Err(Error::MailboxFull { agent: new.to, full });
    let (there, limit) = (mailbox.unacked(), MAX_MESSAGES);
    if there >= limit {
        return full(Full::Messages { there, limit });
    }
    let (there, limit) = (mailbox.unacked_bytes(), MAX_BYTES);
    if there + new.body.as_str().len() as u64 > limit {
        return full(Full::Bytes { there, limit });
    }
    let unacked = of_sender(mailbox.acked + 1)..=of_sender(u64::MAX);
    let oldest = tx.page(BY_SENDER, unacked, 1)?;
    let there = oldest.first().map_or(0, |(_, oldest)| nth - oldest.nth);
    let limit = MAX_FROM_SENDER;
    if there >= limit {
        return full(Full::FromSender { there, limit });
    }
    Ok(nth)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    agent_id: AgentId,
    message_id: MessageId,
    seq: u64,
    kind: super::Kind,
    from: Sender,
}

fn tell(tx: &Tx<'_>, new: &NewMessage, seq: u64, id: MessageId) -> Result<()> {
    let told = Told { agent_id: new.to, message_id: id, seq, kind: new.kind, from: new.from };
    let about: &[&dyn std::fmt::Display] = match &new.from {
        Sender::Agent(sender) if *sender != new.to => &[&id, sender],
        _ => &[&id],
    };
    Ok(tx.event("message.delivered", about, Some(new.to), &told)?)
}
