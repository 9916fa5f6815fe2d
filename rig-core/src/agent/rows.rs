use super::error::{Error, Result};
use super::record::Agent;
use crate::id::{AgentId, WorkspaceId};
use crate::store::{Key, KnownTable, Read, Record, Table, Tx};
use crate::time::Timestamp;

pub(super) const AGENTS: Table<AgentId, Agent> = Table::new("core/agents");
/// The agents below an agent, oldest first.
pub(super) const CHILDREN: Table<(AgentId, (Timestamp, AgentId)), ()> =
    Table::new("core/agent_children");
/// The primary agents, oldest first.
pub(super) const PRIMARIES: Table<(Timestamp, AgentId), ()> = Table::new("core/agent_primaries");
pub(super) const TITLES: Table<(String, AgentId), ()> = Table::new("core/agent_titles");
/// The first primary agent of each workspace.
pub(super) const FIRST: Table<WorkspaceId, AgentId> = Table::new("core/agent_first");
/// The agent that acts where the person names none, under the key `default`.
pub(super) const DEFAULT: Table<String, AgentId> = Table::new("core/agent_default");

impl Record for AgentId {}

/// The tables of agents, for the tools that look at a whole store.
pub const TABLES: &[KnownTable] = &[
    AGENTS.known(),
    CHILDREN.known(),
    PRIMARIES.known(),
    TITLES.known(),
    FIRST.known(),
    DEFAULT.known(),
    super::handshake::HANDSHAKES.known(),
    super::tokens::TOKENS.known(),
];

pub(super) fn child_key(agent: &Agent) -> Option<(AgentId, (Timestamp, AgentId))> {
    agent.parent.map(|parent| (parent, (agent.created_at, agent.id)))
}

pub(super) fn primary_key(agent: &Agent) -> Option<(Timestamp, AgentId)> {
    agent.is_primary().then_some((agent.created_at, agent.id))
}

pub(super) fn title_key(agent: &Agent) -> Option<(String, AgentId)> {
    agent.title.as_ref().map(|title| (title.to_string(), agent.id))
}

/// Stores an agent with its index rows.
pub(super) fn put(tx: &Tx<'_>, after: &Agent) -> Result<()> {
    let before = tx.get(AGENTS, &after.id)?;
    let before = before.as_ref();
    follow(tx, CHILDREN, before.and_then(child_key), child_key(after))?;
    follow(tx, PRIMARIES, before.and_then(primary_key), primary_key(after))?;
    follow(tx, TITLES, before.and_then(title_key), title_key(after))?;
    Ok(tx.put(AGENTS, &after.id, after)?)
}

/// Moves an index row from where the record had it to where it has it now.
fn follow<K: Key + PartialEq>(
    tx: &Tx<'_>,
    table: Table<K, ()>,
    before: Option<K>,
    after: Option<K>,
) -> Result<()> {
    if before != after {
        if let Some(before) = before {
            tx.remove(table, &before)?;
        }
        if let Some(after) = after {
            tx.put(table, &after, &())?;
        }
    }
    Ok(())
}

/// The agent of this ID.
///
/// # Errors
///
/// [`Error::AgentNotFound`] if there is none; or if the store failed.
pub fn get(r: &impl Read, id: AgentId) -> Result<Agent> {
    r.get(AGENTS, &id)?.ok_or_else(|| Error::not_found(id))
}

/// The agents right below an agent, oldest first.
pub(super) fn children(r: &impl Read, parent: AgentId) -> Result<Vec<Agent>> {
    let rows = r.beginning_with(CHILDREN, &parent)?;
    rows.into_iter().map(|((_, (_, child)), ())| get(r, child)).collect()
}

/// All primary agents, oldest first.
pub(super) fn primaries(r: &impl Read) -> Result<Vec<Agent>> {
    let rows = r.page(PRIMARIES, .., usize::MAX)?;
    rows.into_iter().map(|((_, id), ())| get(r, id)).collect()
}

/// Whether `agent` is below `above`, however far.
pub(super) fn is_below(r: &impl Read, agent: &Agent, above: AgentId) -> Result<bool> {
    let mut next = agent.parent;
    while let Some(parent) = next {
        if parent == above {
            return Ok(true);
        }
        next = get(r, parent)?.parent;
    }
    Ok(false)
}
