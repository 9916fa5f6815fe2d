use std::time::Duration;

use rig_core::caller::Caller;
use rig_core::clock::Now;
use rig_core::due::{self, Due};
use rig_core::failpoint;
use rig_core::id::{ScheduleId, WaitId};
use rig_core::mail::Delivered;
use rig_core::store::{self, Key, Read, Record, Table, Tx};

use crate::error::Result;
use crate::messages::{self, Message};
use crate::waits::{self, Wait};

/// Rows of the due index that are moved to another start of the machine in one transaction.
const ANCHORED: usize = 1000;

/// What a firing did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fired {
    /// The waits that ended, those that a delivered message ended among them.
    pub waits: Vec<Wait>,
    /// The messages that were tried, as they are now.
    pub messages: Vec<Message>,
    /// What was put into mailboxes.
    pub delivered: Vec<Delivered>,
    /// Whether rows that are due are left.
    pub left: bool,
}

/// Settles what is due, at most `limit` things, the earliest first: ends waits, delivers messages
/// with the waits that they end. It begins with the smallest row each time and remembers nothing, so
/// a backlog is caught up in order, however old, each thing once.
///
/// A thing that cannot be settled gets its own failure, or is put aside, and those behind it go on.
/// After another start of the machine elapsed times are anchored first, at most a thousand of them,
/// and then it only tells that there is more to do.
///
/// # Errors
///
/// If the store failed.
pub fn fire(tx: &Tx<'_>, now: Now, limit: usize) -> Result<Fired> {
    if due::anchor(tx, now, ANCHORED)? {
        return Ok(Fired { left: true, ..Fired::default() });
    }
    let taken = due::taken(tx, now, limit, |due| is_ours(tx, due))?;
    failpoint!("fire.taken");
    let mut fired = Fired { left: taken.left, ..Fired::default() };
    let mut settled: Vec<(Caller, Prune)> = Vec::new();
    let mut note = |caller, prune| {
        if !settled.contains(&(caller, prune)) {
            settled.push((caller, prune));
        }
    };
    for due in taken.rows {
        if due.owner == waits::OWNER {
            if let Some(wait) = waits::fire(tx, now, WaitId::from_bits(due.id))? {
                note(wait.caller, Prune::Waits);
                fired.waits.push(wait);
            }
        } else if let Some((message, delivered)) =
            messages::fire(tx, now, ScheduleId::from_bits(due.id))?
        {
            if message.status.is_settled() {
                note(message.sender, Prune::Messages);
            }
            fired.messages.push(message);
            if let Some(delivered) = delivered {
                fired.waits.extend(waits::end_for(tx, now, &delivered)?);
                note(Caller::Agent(delivered.agent), Prune::Waits);
                fired.delivered.push(delivered);
            }
        }
    }
    for (caller, prune) in settled {
        match prune {
            Prune::Waits => waits::prune(tx, caller)?,
            Prune::Messages => messages::prune(tx, caller)?,
        }
    }
    Ok(fired)
}

/// Whose settled records may have become too many.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prune {
    Waits,
    Messages,
}

/// How long it is until the first thing is due; zero if one is; none if nothing is pending.
///
/// # Errors
///
/// If the store failed.
pub fn next_due(r: &impl Read, now: Now) -> Result<Option<Duration>> {
    Ok(due::next(r, now, |due| is_ours(r, due))?)
}

/// Whether a row is one that this build can settle.
fn is_ours(r: &impl Read, due: &Due) -> store::Result<bool> {
    match due.owner {
        waits::OWNER => waits::is_known(r, WaitId::from_bits(due.id)),
        messages::OWNER => messages::is_known(r, ScheduleId::from_bits(due.id)),
        _ => Ok(false),
    }
}

/// Whether a record, if it is there, is none of a later build.
pub(crate) fn is_of_this_build<K: Key, V: Record>(
    r: &impl Read,
    table: Table<K, V>,
    key: &K,
) -> store::Result<bool> {
    let bytes = r.raw(table.name(), &key.encoded())?;
    Ok(bytes.and_then(|bytes| bytes.first().copied()).is_none_or(|version| version <= V::VERSION))
}
