use rig_core::caller::Caller;
use rig_core::clock::Now;
use rig_core::due;
use rig_core::id::AgentId;
use rig_core::mail::{self, Delivered};
use rig_core::store::{self, Read as _, Tx};
use serde_json::json;

use super::outcome::{Ended, Reason};
use super::rows::{PENDING, due_of, find, prune, quarantine, settle};
use super::wait::Wait;
use crate::error::Result;
use crate::stored::millis;

/// Ends the waits of the agent that a message was delivered to, if it was newly stored, and answers
/// them. Whoever stores a message calls this in the same transaction.
///
/// # Errors
///
/// If the store failed.
pub fn message_arrived(tx: &Tx<'_>, now: Now, delivered: &Delivered) -> Result<Vec<Wait>> {
    let ended = end_for(tx, now, delivered)?;
    prune_after(tx, delivered.agent, &ended)?;
    Ok(ended)
}

/// As [`message_arrived`], without pruning.
pub(crate) fn end_for(tx: &Tx<'_>, now: Now, delivered: &Delivered) -> Result<Vec<Wait>> {
    if !delivered.new {
        return Ok(Vec::new());
    }
    end_all(tx, now, delivered.agent, Reason::MessageReceived)
}

/// Ends the waits of an agent that is stopped or archived, and answers them. Whoever records that
/// calls this in the same transaction.
///
/// # Errors
///
/// If the store failed.
pub fn agent_stopped(tx: &Tx<'_>, now: Now, agent: AgentId) -> Result<Vec<Wait>> {
    let ended = end_all(tx, now, agent, Reason::AgentStopped)?;
    prune_after(tx, agent, &ended)?;
    Ok(ended)
}

fn prune_after(tx: &Tx<'_>, agent: AgentId, ended: &[Wait]) -> Result<()> {
    match ended {
        [] => Ok(()),
        _ => Ok(prune(tx, Caller::Agent(agent))?),
    }
}

fn end_all(tx: &Tx<'_>, now: Now, agent: AgentId, reason: Reason) -> Result<Vec<Wait>> {
    let caller = Caller::Agent(agent);
    let mut ended = Vec::new();
    for ((_, _, id), ()) in tx.beginning_with(PENDING, &caller)? {
        match find(tx, id) {
            Ok(Some(wait)) if wait.ended.is_none() => ended.push(end(tx, now, wait, reason)?),
            // It stays until a build comes that knows it.
            Ok(_) | Err(store::Error::RecordNewer { .. }) => {}
            Err(store::Error::RecordUnreadable { .. }) => quarantine(tx, id)?,
            Err(other) => return Err(other.into()),
        }
    }
    Ok(ended)
}

/// Ends a pending wait for this reason, unless it is due by now. Its caller's waits are pruned by
/// whoever calls this.
pub(super) fn end(tx: &Tx<'_>, now: Now, mut wait: Wait, reason: Reason) -> Result<Wait> {
    let is_due = reason == Reason::Elapsed || due::is_due(tx, due_of(wait.id), now)?;
    let ended = wait.end(now, if is_due { Reason::Elapsed } else { reason });
    wait.ended = Some(ended);
    settle(tx, &wait, ended)?;
    told_ended(tx, now, &wait, &ended)?;
    Ok(wait)
}

/// Appends the one event of a wait's end.
pub(super) fn told_ended(tx: &Tx<'_>, now: Now, wait: &Wait, ended: &Ended) -> Result<()> {
    let data = json!({
        "started_at": wait.started_at,
        "due_at": wait.due_at,
        "ended_at": ended.at,
        "elapsed_seconds": ended.elapsed,
        "reason": ended.reason,
        "late_ms": millis(wait.late(now, ended)),
    });
    Ok(tx.event("wait.ended", &[&wait.id], wait.caller.agent(), &data)?)
}

/// Whether an agent has a message after the last one it has seen.
pub(super) fn unread(tx: &Tx<'_>, agent: AgentId, seen: u64) -> store::Result<bool> {
    Ok(mail::mailbox(tx, agent)?.has_after(seen))
}
