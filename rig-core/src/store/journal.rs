//! The journal: every change appends its event in its own transaction. Readers go from cursor to
//! cursor, so that they neither miss nor repeat one.

use std::fmt::Display;
use std::ops::Bound::{Excluded, Unbounded};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cursor::Cursor;
use super::error::{Error, Result};
use super::read::{Read, key_of};
use super::schema;
use super::table::{Record, Table};
use super::tx::Tx;
use crate::id::{AgentId, EventId};
use crate::time::Timestamp;

/// Events that a reader without a cursor begins with.
pub const NEWEST: usize = 100;

/// How long an event is kept at least, unless there are few.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// So many events are kept however old they are.
const KEPT_EVENTS: u64 = 10_000;

/// Events that are pruned at a time.
const PRUNED: usize = 1000;

/// Events that a reader looks through for one page.
const SCANNED: usize = 2000;

/// An event of the journal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Where it is in the journal: what comes after it is read with this.
    pub cursor: Cursor,
    /// Its ID.
    pub id: EventId,
    /// When it happened.
    pub at: Timestamp,
    /// What happened, such as `workspace.ready`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The IDs of the things it is about.
    pub about: Vec<String>,
    /// The agent it concerns.
    pub agent_id: Option<AgentId>,
    /// The thing as it then was.
    pub data: serde_json::Value,
}

/// Some events, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Page {
    /// The events; none even though more may follow if none that was looked at is for the reader.
    pub events: Vec<Event>,
    /// Where to go on.
    pub cursor: Cursor,
    /// Whether there were more to look at.
    pub more: bool,
}

/// An event on disk. Its key is its number.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stored {
    id: EventId,
    at: Timestamp,
    #[serde(rename = "type")]
    kind: String,
    about: Vec<String>,
    agent_id: Option<AgentId>,
    data: serde_json::Value,
}

impl Record for Stored {}

/// As [`Stored`] is written: what it tells goes to disk as it is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct New<'a, D> {
    id: EventId,
    at: Timestamp,
    #[serde(rename = "type")]
    kind: &'a str,
    about: Vec<String>,
    agent_id: Option<AgentId>,
    data: &'a D,
}

pub(super) const JOURNAL: Table<u64, Stored> = Table::new("core/journal");

impl Tx<'_> {
    /// Appends an event to the journal, in this transaction. `data` never holds a message's body,
    /// an answer or a token.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn event(
        &self,
        kind: &'static str,
        about: &[&dyn Display],
        agent: Option<AgentId>,
        data: &impl Serialize,
    ) -> Result<()> {
        let event = New {
            id: EventId::generate(self.now()),
            at: self.now(),
            kind,
            about: about.iter().map(ToString::to_string).collect(),
            agent_id: agent,
            data,
        };
        let before = match self.last_event() {
            Some(number) => number,
            None => last(self)?.max(schema::pruned(self)?),
        };
        self.put_as(JOURNAL, &(before + 1), &event)?;
        self.count_event(before + 1);
        Ok(())
    }
}

/// Where the journal ends. A listing carries it, so that whoever follows from there sees exactly
/// what changed since.
///
/// # Errors
///
/// If the store failed.
pub fn snapshot(r: &impl Read) -> Result<Cursor> {
    Ok(Cursor { store: schema::store_id(r)?, number: last(r)? })
}

/// At most `limit` events after `cursor`, of all agents or of those that concern `agent`.
///
/// # Errors
///
/// [`Error::CursorUnknown`] if the cursor is one of another store, [`Error::CursorExpired`] if
/// events after it were pruned.
pub fn after(r: &impl Read, cursor: &Cursor, agent: Option<AgentId>, limit: usize) -> Result<Page> {
    let end = snapshot(r)?;
    if cursor.store != end.store || cursor.number > end.number {
        return Err(Error::CursorUnknown);
    }
    if cursor.number < schema::pruned(r)? {
        return Err(Error::CursorExpired);
    }
    let mut page = Page { events: Vec::new(), cursor: cursor.clone(), more: true };
    let mut scanned = 0;
    while page.more && page.events.len() < limit && scanned < SCANNED {
        let rows =
            r.page(JOURNAL, (Excluded(page.cursor.number), Unbounded), limit.min(SCANNED))?;
        scanned += rows.len();
        for (number, stored) in rows {
            if page.events.len() == limit {
                break;
            }
            page.cursor.number = number;
            if concerns(&stored, agent) {
                page.events.push(event(stored, page.cursor.clone()));
            }
        }
        page.more = page.cursor.number < end.number;
    }
    Ok(page)
}

/// The newest events, at most `limit` of them, oldest first.
///
/// # Errors
///
/// If the store failed.
pub fn newest(r: &impl Read, agent: Option<AgentId>, limit: usize) -> Result<Page> {
    let cursor = snapshot(r)?;
    let mut events = Vec::new();
    let mut scanned = 0;
    let mut before = Unbounded;
    while events.len() < limit && scanned < SCANNED {
        let rows = r.page_backwards(JOURNAL, (Unbounded, before), limit.min(SCANNED))?;
        let Some(&(oldest, _)) = rows.last() else { break };
        before = Excluded(oldest);
        scanned += rows.len();
        let mine = rows.into_iter().filter(|(_, stored)| concerns(stored, agent));
        events.extend(
            mine.map(|(number, stored)| {
                event(stored, Cursor { store: cursor.store.clone(), number })
            }),
        );
    }
    events.truncate(limit);
    events.reverse();
    Ok(Page { events, cursor, more: false })
}

/// Whether there are 1000 events to [`prune`], so that it is worth a commit.
///
/// # Errors
///
/// If the store failed.
pub fn is_overfull(r: &impl Read, now: Timestamp) -> Result<bool> {
    let oldest = r.raw_page(JOURNAL.name(), (Unbounded, Unbounded), 1, false)?;
    let Some((oldest, _)) = oldest.first() else { return Ok(false) };
    // Numbers rise without gaps from the oldest on, or the event looked at is a newer one.
    let number = key_of(JOURNAL, oldest)? + PRUNED as u64 - 1;
    if number > last(r)?.saturating_sub(KEPT_EVENTS) {
        return Ok(false);
    }
    let page = r.page(JOURNAL, number.., 1)?;
    Ok(page.first().is_some_and(|(_, stored)| now.since(stored.at) > KEPT))
}

/// Removes what is past its time, at most 1000 events; answers how many it removed. Events of the
/// last 30 days are kept, and the last 10 000.
///
/// # Errors
///
/// If the store failed.
pub fn prune(tx: &Tx<'_>) -> Result<usize> {
    let spare = last(tx)?.saturating_sub(KEPT_EVENTS);
    let mut pruned = Vec::new();
    for (number, stored) in tx.page(JOURNAL, ..=spare, PRUNED)? {
        if tx.now().since(stored.at) <= KEPT {
            break;
        }
        pruned.push(number);
    }
    for number in &pruned {
        tx.remove(JOURNAL, number)?;
    }
    if let Some(&number) = pruned.last() {
        schema::set_pruned(tx, number)?;
    }
    Ok(pruned.len())
}

/// The number of the newest event, or 0.
fn last(r: &impl Read) -> Result<u64> {
    let newest = r.raw_page(JOURNAL.name(), (Unbounded, Unbounded), 1, true)?;
    // Only the key, so that an event that cannot be read does not keep others from being written.
    let number = newest.first().map(|(key, _)| key_of(JOURNAL, key)).transpose()?;
    Ok(number.unwrap_or(0))
}

fn concerns(stored: &Stored, agent: Option<AgentId>) -> bool {
    agent.is_none_or(|agent| {
        stored.agent_id == Some(agent) || stored.about.contains(&agent.to_string())
    })
}

fn event(stored: Stored, cursor: Cursor) -> Event {
    let Stored { id, at, kind, about, agent_id, data } = stored;
    Event { cursor, id, at, kind, about, agent_id, data }
}
