use serde_json::json;

use super::error::{Error, Result};
use super::record::Agent;
use super::rows;
use crate::caller::Caller;
use crate::clock::Now;
use crate::id::AgentId;
use crate::store::Tx;

/// An agent that was archived with all that is below it.
#[derive(Clone, Debug)]
pub struct Archived {
    /// The agent as it is.
    pub agent: Agent,
    /// It and everything below it. All of them are stopped: whoever keeps their waits, questions
    /// and work is to end these in the same transaction.
    pub stopped: Vec<AgentId>,
}

/// Takes an agent and everything below it off the lists. They stay reachable, and mail for them
/// still arrives. Those that are archived already stay as they are.
///
/// # Errors
///
/// [`Error::AgentNotFound`]; [`Error::NotYourAgent`] unless the caller is the person or an agent
/// above; or if the store failed.
pub fn archive(tx: &Tx<'_>, now: Now, caller: Caller, agent: AgentId) -> Result<Archived> {
    let found = rows::get(tx, agent)?;
    if let Some(caller) = caller.agent()
        && !rows::is_below(tx, &found, caller)?
    {
        let rule = "an agent is archived by the person or by an agent above it";
        return Err(Error::not_yours(agent, rule));
    }
    let mut stopped = Vec::new();
    let mut next = vec![found];
    while let Some(mut row) = next.pop() {
        stopped.push(row.id);
        let mut below = rows::children(tx, row.id)?;
        below.reverse();
        next.extend(below);
        if !row.is_archived() {
            row.archived_at = Some(now.wall);
            row.updated_at = now.wall;
            rows::put(tx, &row)?;
            let data = json!({ "agentId": row.id, "archivedWith": agent });
            tx.event("agent.archived", &[&row.id], Some(row.id), &data)?;
        }
    }
    Ok(Archived { agent: rows::get(tx, agent)?, stopped })
}

/// Puts an agent back on the lists, but nothing below it; nothing if it is there.
pub(crate) fn restore(tx: &Tx<'_>, now: Now, agent: &Agent) -> Result<()> {
    if !agent.is_archived() {
        return Ok(());
    }
    rows::put(tx, &Agent { archived_at: None, updated_at: now.wall, ..agent.clone() })?;
    let data = json!({ "agentId": agent.id });
    Ok(tx.event("agent.restored", &[&agent.id], Some(agent.id), &data)?)
}
