use serde_json::json;

use super::error::{Error, Result};
use super::message::Message;
use super::prune::prune;
use super::rows::{ACKS, Acked, MAILBOXES, Mailbox, Stored, mailbox, next};
use crate::agent;
use crate::clock::Now;
use crate::id::AgentId;
use crate::store::Tx;

/// Messages of one fetch, unless it says otherwise.
pub const FETCHED: usize = 100;

/// The most messages of one fetch.
pub const MAX_FETCHED: usize = 1000;

/// Bytes of the messages of one fetch, as they are stored; a single message may have more.
const BYTES: usize = 512 << 10;

/// Some messages of a mailbox, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetched {
    /// What follows what is acknowledged.
    pub messages: Vec<Message>,
    /// Everything up to this number is done.
    pub acked: u64,
    /// The number of the last of the messages; `acked` if there is none.
    pub last: u64,
    /// Whether more follow.
    pub more: bool,
}

/// What follows what an agent has acknowledged: at most `limit` messages and 512 KiB, but at least
/// one message if there is any. It removes nothing, so what is not acknowledged comes again.
///
/// A message that cannot be read goes to quarantine, and reading goes on with the next.
///
/// # Errors
///
/// [`Error::BadRequest`] if the limit is not 1 to [`MAX_FETCHED`]; [`agent::Error::AgentNotFound`];
/// or if the store failed.
pub fn fetch(tx: &Tx<'_>, agent: AgentId, limit: usize) -> Result<Fetched> {
    fetch_after(tx, agent, 0, limit)
}

/// As [`fetch`], but only what also follows `after`: for one who follows a mailbox and has seen that.
///
/// # Errors
///
/// As [`fetch`].
pub fn fetch_after(tx: &Tx<'_>, agent: AgentId, after: u64, limit: usize) -> Result<Fetched> {
    if !(1..=MAX_FETCHED).contains(&limit) {
        return Err(Error::BadRequest { field: "limit", rule: "must be 1 to 1000" });
    }
    agent::get(tx, agent)?;
    let before = mailbox(tx, agent)?;
    let skips = after > before.acked;
    let (mut last, mut bytes, mut more) = (before.acked.max(after), 0, false);
    let mut messages = Vec::new();
    // Where nothing more can be read, nothing more is there: what went to quarantine holds up
    // neither the reader nor who waits for it.
    let (mut acked, mut acked_bytes) = (before.newest(), before.bytes);
    while let Some(found) = next(tx, agent, last, before.newest())? {
        bytes += found.bytes;
        if messages.len() == limit || (bytes > BYTES && !messages.is_empty()) {
            more = true;
            break;
        }
        let Stored { message, through, .. } = found.stored;
        if messages.is_empty() {
            acked = message.seq - 1;
            acked_bytes = through - message.body.as_str().len() as u64;
        }
        last = message.seq;
        messages.push(message);
    }
    let reached = if more { last } else { before.newest() };
    let handed = before.handed.max(reached);
    if skips {
        (acked, acked_bytes) = (before.acked, before.acked_bytes);
    }
    let after = Mailbox { handed, acked, acked_bytes, ..before };
    if after != before {
        tx.put(MAILBOXES, &agent, &after)?;
    }
    Ok(Fetched { messages, acked, last: last.max(acked), more })
}

/// Acknowledges all messages of an agent up to `seq`: they never come back. Lower than what is
/// acknowledged changes nothing.
///
/// # Errors
///
/// [`Error::AckAhead`] if it was not handed out yet; [`agent::Error::AgentNotFound`]; or if the
/// store failed.
pub fn ack(tx: &Tx<'_>, now: Now, agent: AgentId, seq: u64) -> Result<Mailbox> {
    agent::get(tx, agent)?;
    let before = mailbox(tx, agent)?;
    if seq > before.handed {
        return Err(Error::AckAhead { seq, handed: before.handed });
    }
    if seq <= before.acked {
        return Ok(before);
    }
    // What went to quarantine right behind is done as well: there is nothing to hand out.
    let follows = next(tx, agent, seq, before.newest())?.map(|found| found.stored);
    let acked = follows.as_ref().map_or(before.newest(), |follows| follows.message.seq - 1);
    let acked_bytes = follows.map_or(before.bytes, |follows| {
        follows.through - follows.message.body.as_str().len() as u64
    });
    tx.put(ACKS, &(agent, acked), &Acked { at: now.wall })?;
    let after = Mailbox {
        acked,
        acked_bytes,
        handed: before.handed.max(acked),
        active_at: Some(now.wall),
        ..before
    };
    let after = Mailbox { pruned: prune(tx, now.wall, agent, after)?, ..after };
    tx.put(MAILBOXES, &agent, &after)?;
    let data = json!({ "agentId": agent, "seq": acked });
    tx.event("message.acked", &[], Some(agent), &data)?;
    Ok(after)
}
