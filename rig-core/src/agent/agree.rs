use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::record::Agent;
use super::rows::{self, AGENTS, CHILDREN, DEFAULT, FIRST, PRIMARIES, TITLES};
use crate::store::{Finding, Key, Read as _, ReadTx, Record, Result, Table};

/// Checks that the records of agents and their index rows agree one to one, and that those above
/// and below them exist.
///
/// # Errors
///
/// If the store failed, or a record cannot be read.
pub fn agree(read: &ReadTx) -> Result<Vec<Finding>> {
    let agents: Vec<Agent> =
        read.page(AGENTS, .., usize::MAX)?.into_iter().map(|(_, agent)| agent).collect();
    let known: BTreeSet<_> = agents.iter().map(|agent| agent.id).collect();
    let mut findings = Vec::new();
    compare(read, &mut findings, CHILDREN, agents.iter().filter_map(rows::child_key))?;
    compare(read, &mut findings, PRIMARIES, agents.iter().filter_map(rows::primary_key))?;
    compare(read, &mut findings, TITLES, agents.iter().filter_map(rows::title_key))?;
    for agent in &agents {
        let named = [Some(agent.root), agent.parent, agent.delegated_by];
        if named.into_iter().flatten().any(|named| !known.contains(&named)) {
            findings.push(finding(AGENTS, &agent.id, "it names an agent that there is not"));
        }
    }
    for (workspace, agent) in read.page(FIRST, .., usize::MAX)? {
        if !known.contains(&agent) {
            findings.push(finding(FIRST, &workspace, "it names an agent that there is not"));
        }
    }
    for (key, agent) in read.page(DEFAULT, .., usize::MAX)? {
        if !known.contains(&agent) {
            findings.push(finding(DEFAULT, &key, "it names an agent that there is not"));
        }
    }
    for (agent, _) in read.page(super::tokens::TOKENS, .., usize::MAX)? {
        if !known.contains(&agent) {
            let what = "there is no agent to hold them";
            findings.push(finding(super::tokens::TOKENS, &agent, what));
        }
    }
    Ok(findings)
}

/// Compares an index with the keys it should have.
pub(crate) fn compare<K: Key + Serialize, V: Record>(
    read: &ReadTx,
    findings: &mut Vec<Finding>,
    table: Table<K, V>,
    wanted: impl Iterator<Item = K>,
) -> Result<()> {
    let wanted: BTreeMap<Vec<u8>, K> = wanted.map(|key| (key.encoded(), key)).collect();
    let stored = read.page(table, .., usize::MAX)?;
    let stored: BTreeMap<Vec<u8>, K> =
        stored.into_iter().map(|(key, _)| (key.encoded(), key)).collect();
    for (bytes, key) in &wanted {
        if !stored.contains_key(bytes) {
            findings.push(finding(table, key, "a record has no such row in this index"));
        }
    }
    for (bytes, key) in &stored {
        if !wanted.contains_key(bytes) {
            findings.push(finding(table, key, "no record has this row of the index"));
        }
    }
    Ok(())
}

pub(crate) fn finding<K: Key + Serialize, V: Record>(
    table: Table<K, V>,
    key: &K,
    what: &str,
) -> Finding {
    Finding {
        table: Some(table.name().to_owned()),
        key: serde_json::to_string(key).ok(),
        what: what.to_owned(),
    }
}
