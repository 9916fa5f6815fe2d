use std::ops::Bound::{Excluded, Included};

use serde::{Deserialize, Serialize};

use super::message::{Message, Reception};
use super::sender::Sender;
use crate::call_key::CallKey;
use crate::id::{AgentId, MessageId};
use crate::store::{Error, Key as _, KnownTable, Read, Record, Result, Table, Tx};
use crate::time::Timestamp;

/// The mailboxes, in order.
pub(super) const MAIL: Table<(AgentId, u64), Stored> = Table::new("core/mail");
/// How far each mailbox is.
pub(super) const MAILBOXES: Table<AgentId, Mailbox> = Table::new("core/mailboxes");
/// The messages in a mailbox by their senders, counted.
pub(super) const BY_SENDER: Table<(AgentId, (Sender, u64)), Nth> = Table::new("core/mail_senders");
/// Which message a sender's ID is.
pub(super) const IDS: Table<(AgentId, (Sender, MessageId)), At> = Table::new("core/mail_ids");
/// Which message a sender's call is: its batch and itself.
pub(super) const KEYS: Table<(AgentId, (Sender, (String, String))), At> =
    Table::new("core/mail_keys");
/// What is remembered of messages that went before their IDs may be forgotten.
pub(super) const REMEMBERED: Table<(AgentId, u64), Remembered> = Table::new("core/mail_remembered");
/// When which messages were acknowledged: up to this one.
pub(super) const ACKS: Table<(AgentId, u64), Acked> = Table::new("core/mail_acks");

/// The tables of mail, for the tools that look at a whole store.
pub const TABLES: &[KnownTable] = &[
    MAIL.known(),
    MAILBOXES.known(),
    BY_SENDER.known(),
    IDS.known(),
    KEYS.known(),
    REMEMBERED.known(),
    ACKS.known(),
];

/// A message on disk, with what only the store needs of it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) message: Message,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<CallKey>,
    pub(super) reception: Reception,
    /// Bytes of all bodies of the mailbox up to this one.
    pub(super) through: u64,
}

/// How far a mailbox is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mailbox {
    /// The number of the next message.
    pub next: u64,
    /// The highest number ever handed out.
    pub handed: u64,
    /// Everything up to this number is done.
    pub acked: u64,
    /// The highest number that was pruned.
    pub(super) pruned: u64,
    /// Bytes of all bodies there ever were.
    pub(super) bytes: u64,
    /// Bytes of those that are acknowledged.
    pub(super) acked_bytes: u64,
    /// When the agent last sent, was sent to, or acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_at: Option<Timestamp>,
}

impl Default for Mailbox {
    fn default() -> Self {
        Self { next: 1, handed: 0, acked: 0, pruned: 0, bytes: 0, acked_bytes: 0, active_at: None }
    }
}

impl Mailbox {
    /// The number of the newest message; 0 if there never was one.
    #[must_use]
    pub fn newest(&self) -> u64 {
        self.next - 1
    }

    /// How many messages are not acknowledged.
    #[must_use]
    pub fn unacked(&self) -> u64 {
        self.newest().saturating_sub(self.acked)
    }

    /// Bytes of the bodies that are not acknowledged.
    #[must_use]
    pub fn unacked_bytes(&self) -> u64 {
        self.bytes.saturating_sub(self.acked_bytes)
    }

    /// Whether there is a message after `seen` that is not acknowledged.
    #[must_use]
    pub fn has_after(&self, seen: u64) -> bool {
        self.newest() > seen.max(self.acked)
    }
}

/// The how manieth message of its sender in a mailbox it is, among those that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Nth {
    pub(super) nth: u64,
}

/// Which message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct At {
    pub(super) seq: u64,
}

/// What is left of a message whose ID may still be repeated.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Remembered {
    pub(super) id: MessageId,
    pub(super) at: Timestamp,
    pub(super) from: Sender,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<CallKey>,
    pub(super) reception: Reception,
    /// SHA-256 of its content, in hexadecimal digits.
    pub(super) content: String,
}

/// When an acknowledgement came.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Acked {
    pub(super) at: Timestamp,
}

impl Record for Stored {}
impl Record for Mailbox {}
impl Record for Nth {}
impl Record for At {}
impl Record for Remembered {}
impl Record for Acked {}

/// How far the mailbox of an agent is.
///
/// # Errors
///
/// If the store failed.
pub fn mailbox(r: &impl Read, agent: AgentId) -> Result<Mailbox> {
    Ok(r.get(MAILBOXES, &agent)?.unwrap_or_default())
}

/// Notes that an agent did something just now.
pub(super) fn touch(tx: &Tx<'_>, agent: AgentId, now: Timestamp) -> Result<()> {
    let mailbox = mailbox(tx, agent)?;
    tx.put(MAILBOXES, &agent, &Mailbox { active_at: Some(now), ..mailbox })
}

pub(super) fn key_of(
    target: AgentId,
    from: Sender,
    key: &CallKey,
) -> (AgentId, (Sender, (String, String))) {
    (target, (from, (key.batch().to_owned(), key.call().to_owned())))
}

/// A message of a mailbox and how large its row is.
pub(super) struct Found {
    pub(super) stored: Stored,
    pub(super) bytes: usize,
}

/// The first message of a mailbox after `after` and up to `to`. What cannot be read on the way goes
/// to quarantine.
pub(super) fn next(tx: &Tx<'_>, agent: AgentId, after: u64, to: u64) -> Result<Option<Found>> {
    let to = (agent, to).encoded();
    loop {
        let from = (agent, after).encoded();
        let range = (Excluded(from.as_slice()), Included(to.as_slice()));
        let page = tx.raw_page(MAIL.name(), range, 1, false)?;
        let Some((key, value)) = page.into_iter().next() else { return Ok(None) };
        let place = <(AgentId, u64)>::decode(&mut key.as_slice())
            .ok_or_else(|| unreadable("its key is not one of this table"))?;
        match tx.get(MAIL, &place) {
            Ok(Some(stored)) => return Ok(Some(Found { stored, bytes: value.len() })),
            Ok(None) => return Ok(None),
            Err(Error::RecordUnreadable { .. }) => {
                tx.quarantine(MAIL, &place)?;
                forget_rows(tx, agent, place.1)?;
            }
            Err(error) => return Err(error),
        }
    }
}

fn unreadable(why: &str) -> Error {
    Error::RecordUnreadable { table: MAIL.name(), why: why.to_owned() }
}

/// Removes the index rows of a message that cannot be read, which are told by its number only.
fn forget_rows(tx: &Tx<'_>, agent: AgentId, seq: u64) -> Result<()> {
    for (key, _) in tx.beginning_with(BY_SENDER, &agent)? {
        if key.1.1 == seq {
            tx.remove(BY_SENDER, &key)?;
        }
    }
    for (key, at) in tx.beginning_with(IDS, &agent)? {
        if at.seq == seq {
            tx.remove(IDS, &key)?;
        }
    }
    for (key, at) in tx.beginning_with(KEYS, &agent)? {
        if at.seq == seq {
            tx.remove(KEYS, &key)?;
        }
    }
    Ok(())
}
