use rig_core::caller::Caller;
use rig_core::clock::Now;
use rig_core::due::{self, When};
use rig_core::id::WaitId;
use rig_core::store::Tx;
use serde_json::json;

use super::end::{told_ended, unread};
use super::outcome::Reason;
use super::rows::{KEPT, due_of, find, find_key, insert, prune};
use super::wait::{NewWait, Wait};
use crate::error::{Differs, Error, Result, shown};
use crate::parse::Time;
use crate::{MAX_PENDING_WAITS, MAX_WAIT, identity};

/// Starts a wait, or answers with the one that was started with the same ID or key: with its first
/// due time while it is pending, with its result once it has ended.
///
/// One that is due already, or whose agent has a message that it has not seen, has ended.
///
/// # Errors
///
/// [`Error::IdConflict`] and [`Error::KeyConflict`] if the ID or the key belongs to another wait;
/// [`Error::WaitTooLong`] if it is due later than the longest wait, [`Error::TooManyWaits`] if the
/// caller has as many as it may, [`Error::BadRequest`] for a `seen` of the person, who has no
/// mailbox; or if the store failed.
pub fn start(tx: &Tx<'_>, now: Now, caller: Caller, new: &NewWait) -> Result<Wait> {
    if let Some(known) = known(tx, caller, new)? {
        return Ok(known);
    }
    let due_at = match new.time {
        Time::After(length) => now.wall.checked_add(length).filter(|_| length <= MAX_WAIT),
        Time::At(at) => Some(at.max(now.wall)).filter(|at| at.since(now.wall) <= MAX_WAIT),
    };
    let due_at = due_at.ok_or_else(|| {
        let asked = match new.time {
            Time::After(length) => shown(length),
            Time::At(at) => at.to_string(),
        };
        Error::wait_too_long(asked, now.wall)
    })?;
    let mut wait = Wait {
        id: new.id.unwrap_or_else(|| WaitId::generate(now.wall)),
        caller,
        key: new.key.clone(),
        time: new.time,
        requested: new.requested.clone(),
        started_at: now.wall,
        started_boot: now.boot,
        due_at,
        ended: None,
    };
    let reason = match (new.seen, caller) {
        (Some(_), Caller::Person) => {
            let rule = "is a number in a mailbox, and the person has none";
            return Err(Error::BadRequest { field: "seen", rule });
        }
        _ if due_at <= now.wall => Some(Reason::Elapsed),
        (Some(seen), Caller::Agent(agent)) if unread(tx, agent, seen)? => {
            Some(Reason::MessageReceived)
        }
        _ => None,
    };
    let pending = KEPT.counts(tx, caller)?.pending;
    if reason.is_none() && pending >= MAX_PENDING_WAITS {
        return Err(Error::TooManyWaits { pending, limit: MAX_PENDING_WAITS });
    }
    tx.ensure_room()?;

    wait.ended = reason.map(|reason| wait.end(now, reason));
    insert(tx, &wait)?;
    let data = json!({ "started_at": wait.started_at, "due_at": wait.due_at });
    tx.event("wait.started", &[&wait.id], caller.agent(), &data)?;
    match wait.ended {
        Some(ended) => {
            told_ended(tx, now, &wait, &ended)?;
            prune(tx, caller)?;
        }
        None => due::arm(tx, due_of(wait.id), when(now, &wait))?,
    }
    Ok(wait)
}

fn when(now: Now, wait: &Wait) -> When {
    match wait.time {
        Time::After(left) => When::Elapsed { now, left, due_at: wait.due_at },
        Time::At(_) => When::Wall(wait.due_at),
    }
}

/// The wait that this request made before.
fn known(tx: &Tx<'_>, caller: Caller, new: &NewWait) -> Result<Option<Wait>> {
    if let Some(id) = new.id
        && let Some(wait) = find(tx, id)?
    {
        let conflict = |differs: Option<Differs>| Error::IdConflict {
            id: id.to_string(),
            differs: differs.map(Box::new),
        };
        if wait.caller != caller {
            return Err(conflict(None));
        }
        return match differs(&wait, new) {
            None => Ok(Some(wait)),
            differs => Err(conflict(differs)),
        };
    }
    if let Some(key) = &new.key
        && let Some(id) = find_key(tx, caller, key)?
        && let Some(wait) = find(tx, id)?
    {
        return match differs(&wait, new) {
            None => Ok(Some(wait)),
            Some(differs) => {
                Err(Error::KeyConflict { key: key.clone(), differs: Box::new(differs) })
            }
        };
    }
    Ok(None)
}

/// What the caller has seen may change from one time to the next, and is not compared.
fn differs(wait: &Wait, new: &NewWait) -> Option<Differs> {
    identity::time(wait.time, new.time)
        .or_else(|| identity::key(wait.key.as_ref(), new.key.as_ref()))
        .or_else(|| identity::value("wait_id", &wait.id, &new.id.unwrap_or(wait.id)))
}
