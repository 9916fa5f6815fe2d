use rig_core::agent;
use rig_core::caller::Caller;
use rig_core::clock::Now;
use rig_core::id::ScheduleId;
use rig_core::store::Tx;

use super::message::{Message, NewMessage, Status};
use super::rows::{KEPT, find, find_key, put};
use crate::error::{Differs, Error, Result, shown};
use crate::parse::Time;
use crate::{HORIZON, MAX_PENDING_MESSAGES, identity};

/// Schedules a message from the caller, or answers with the one that was scheduled with the same ID
/// or key, as it is now.
///
/// A delay becomes an instant once, here: from then on the message follows the wall clock. One in
/// the past is due at once. The target need not exist.
///
/// # Errors
///
/// [`agent::Error::PrimaryOnly`] for a subagent; [`Error::IdConflict`] and [`Error::KeyConflict`] if
/// the ID or the key belongs to another message; [`Error::ScheduleTooFar`] if it is due, or expires
/// so long after that, past the horizon; [`Error::TooManyScheduled`] if the sender has as many as it
/// may; or if the store failed.
pub fn schedule(tx: &Tx<'_>, now: Now, caller: Caller, new: &NewMessage) -> Result<Message> {
    if let Caller::Agent(agent) = caller
        && !agent::get(tx, agent)?.is_primary()
    {
        let operation = "schedule_message";
        return Err(agent::Error::PrimaryOnly { operation, agent }.into());
    }
    if let Some(known) = known(tx, caller, new)? {
        return Ok(known);
    }
    let due_at = match new.time {
        Time::After(delay) => now.wall.checked_add(delay).filter(|_| delay <= HORIZON),
        Time::At(at) => Some(at.max(now.wall)).filter(|at| at.since(now.wall) <= HORIZON),
    };
    let due_at = due_at.ok_or_else(|| {
        let asked = match new.time {
            Time::After(delay) => shown(delay),
            Time::At(at) => at.to_string(),
        };
        Error::schedule_too_far(asked, now.wall)
    })?;
    let expires_at = match new.expires_after {
        None => None,
        Some(after) => {
            let at = due_at.checked_add(after).filter(|_| after <= HORIZON);
            Some(at.ok_or_else(|| Error::schedule_too_far(shown(after), now.wall))?)
        }
    };
    let pending = KEPT.counts(tx, caller)?.pending;
    if pending >= MAX_PENDING_MESSAGES {
        return Err(Error::TooManyScheduled { pending, limit: MAX_PENDING_MESSAGES });
    }
    tx.ensure_room()?;

    let message = Message {
        id: new.id.unwrap_or_else(|| ScheduleId::generate(now.wall)),
        sender: caller,
        target_agent_id: new.target,
        message: new.body.clone(),
        due_at,
        status: Status::Pending,
        created_at: now.wall,
        updated_at: now.wall,
        delivered_at: None,
        failure: None,
        attempts: 0,
        next_attempt_at: None,
        expires_at,
        requested: new.requested.clone(),
        key: new.key.clone(),
        time: new.time,
        expires_after: new.expires_after,
        first_attempt_at: None,
    };
    put(tx, None, &message, "scheduled.created")?;
    Ok(message)
}

/// The message that this request scheduled before.
fn known(tx: &Tx<'_>, caller: Caller, new: &NewMessage) -> Result<Option<Message>> {
    if let Some(id) = new.id
        && let Some(message) = find(tx, id)?
    {
        let conflict = |differs: Option<Differs>| Error::IdConflict {
            id: id.to_string(),
            differs: differs.map(Box::new),
        };
        if message.sender != caller {
            return Err(conflict(None));
        }
        return match differs(&message, new) {
            None => Ok(Some(message)),
            differs => Err(conflict(differs)),
        };
    }
    if let Some(key) = &new.key
        && let Some(id) = find_key(tx, caller, key)?
        && let Some(message) = find(tx, id)?
    {
        return match differs(&message, new) {
            None => Ok(Some(message)),
            Some(differs) => {
                Err(Error::KeyConflict { key: key.clone(), differs: Box::new(differs) })
            }
        };
    }
    Ok(None)
}

fn differs(message: &Message, new: &NewMessage) -> Option<Differs> {
    let expires = |after: Option<_>| after.map_or_else(|| "never".to_owned(), shown);
    identity::value("agent_id", &message.target_agent_id, &new.target)
        .or_else(|| {
            // Texts are told by their lengths.
            let told = |body: &rig_core::mail::Body| format!("{} characters", body.characters());
            let (stored, given) = (told(&message.message), told(&new.body));
            let differs = message.message != new.body;
            differs.then_some(Differs { field: "message", stored, given })
        })
        .or_else(|| identity::time(message.time, new.time))
        .or_else(|| {
            let (stored, given) = (expires(message.expires_after), expires(new.expires_after));
            identity::value("expires_after", &stored, &given)
        })
        .or_else(|| identity::key(message.key.as_ref(), new.key.as_ref()))
        .or_else(|| identity::value("id", &message.id, &new.id.unwrap_or(message.id)))
}
