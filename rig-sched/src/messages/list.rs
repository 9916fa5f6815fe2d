use std::ops::Bound::{Excluded, Unbounded};

use rig_core::caller::Caller;
use rig_core::id::ScheduleId;
use rig_core::store::{self, Cursor, Read, journal};
use rig_core::time::Timestamp;
use serde::Serialize;

use super::message::Message;
use super::rows::{BY_AGE, BY_SENDER, find};
use crate::error::{Error, Result};

/// Messages of one page.
pub const PAGE_ROWS: usize = 500;

/// Bytes of the texts of one page, unless its first message has more.
pub const PAGE_BYTES: usize = 512 << 10;

/// Where a message stands among those of a listing.
pub(super) type Place = (Timestamp, ScheduleId);

/// Some of a caller's messages, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct List {
    /// The messages.
    pub items: Vec<Message>,
    /// Where the journal was: whoever follows from there sees exactly what changed since.
    pub cursor: Cursor,
    /// The next page begins after it: when the last message looked at was scheduled, and its ID.
    /// None on the last page.
    #[serde(skip)]
    pub next: Option<(Timestamp, ScheduleId)>,
}

/// The message of this ID, of the caller itself; the person sees any.
///
/// # Errors
///
/// [`Error::ScheduleNotFound`] if there is none, or it is another agent's; or if the store failed.
pub fn get(r: &impl Read, caller: Caller, id: ScheduleId) -> Result<Message> {
    find(r, id)?
        .filter(|message| caller == Caller::Person || caller == message.sender)
        .ok_or(Error::ScheduleNotFound { id })
}

/// A page of the messages that the caller scheduled, for the person of everybody's: those pending
/// and undelivered, or `all`. It begins `after` the place where the page before ended.
///
/// # Errors
///
/// If the store failed.
pub fn list(
    r: &impl Read,
    caller: Caller,
    all: bool,
    after: Option<(Timestamp, ScheduleId)>,
) -> Result<List> {
    let mut list = List { items: Vec::new(), cursor: journal::snapshot(r)?, next: None };
    let (mut bytes, mut place) = (0, after);
    loop {
        let places = places(r, caller, place)?;
        let end = places.len() < PAGE_ROWS;
        for next in places {
            let message = match find(r, next.1) {
                Ok(message) => message.filter(|message| all || !message.status.is_settled()),
                // What cannot be read hides nothing else.
                Err(store::Error::RecordNewer { .. } | store::Error::RecordUnreadable { .. }) => {
                    None
                }
                Err(other) => return Err(other.into()),
            };
            if let Some(message) = message {
                bytes += message.message.as_str().len();
                let full = list.items.len() == PAGE_ROWS || bytes > PAGE_BYTES;
                if full && !list.items.is_empty() {
                    list.next = place;
                    return Ok(list);
                }
                list.items.push(message);
            }
            place = Some(next);
        }
        if end {
            return Ok(list);
        }
    }
}

/// Where the next messages are.
fn places(r: &impl Read, caller: Caller, after: Option<Place>) -> Result<Vec<Place>> {
    if caller == Caller::Person {
        let range = (after.map_or(Unbounded, Excluded), Unbounded);
        let rows = r.page(BY_AGE, range, PAGE_ROWS)?;
        return Ok(rows.into_iter().map(|(place, ())| place).collect());
    }
    let rows = match after {
        None => r.first_beginning_with(BY_SENDER, &caller, PAGE_ROWS)?,
        Some((at, id)) => r.page(BY_SENDER, (Excluded((caller, at, id)), Unbounded), PAGE_ROWS)?,
    };
    let own = rows.into_iter().take_while(|((sender, ..), ())| *sender == caller);
    Ok(own.map(|((_, at, id), ())| (at, id)).collect())
}
