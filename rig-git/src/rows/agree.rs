use std::collections::{BTreeMap, BTreeSet};

use rig_core::store::{Finding, Key, KnownTable, Read, ReadTx, Record, Result, Table};
use serde::Serialize;

use super::{projects, workspaces};

/// The tables of rig-git, for the tools that look at a whole store.
pub const TABLES: &[KnownTable] = &[
    projects::PROJECTS.known(),
    projects::PATHS.known(),
    projects::NAMES.known(),
    projects::KEYS.known(),
    projects::ORDER.known(),
    workspaces::WORKSPACES.known(),
    workspaces::PATHS.known(),
    workspaces::NAMES.known(),
    workspaces::KEYS.known(),
    workspaces::BRANCHES.known(),
    workspaces::ORDER.known(),
    workspaces::DUE.known(),
];

/// Checks that the records of projects and workspaces and their index rows agree one to one.
///
/// # Errors
///
/// If the store failed, or a record cannot be read.
pub fn agree(read: &ReadTx) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let rows = read.page(projects::PROJECTS, .., usize::MAX)?;
    let each = || rows.iter().map(|(id, row)| (*id, row));
    let found = &mut findings;
    compare(read, found, projects::PATHS, each().map(|(id, r)| (projects::path_key(r), id)))?;
    compare(read, found, projects::NAMES, each().map(|(id, r)| (projects::name_key(r), id)))?;
    compare(read, found, projects::KEYS, each().map(|(id, r)| (projects::storage_key(r), id)))?;
    compare(read, found, projects::ORDER, each().map(|(id, r)| (projects::place(r), id)))?;

    let rows = read.page(workspaces::WORKSPACES, .., usize::MAX)?;
    let each = || rows.iter().map(|(id, row)| (*id, row));
    compare(read, found, workspaces::PATHS, each().map(|(id, r)| (workspaces::path_key(r), id)))?;
    compare(read, found, workspaces::NAMES, each().map(|(id, r)| (workspaces::name_key(r), id)))?;
    compare(read, found, workspaces::KEYS, each().map(|(id, r)| (workspaces::storage_key(r), id)))?;
    compare(read, found, workspaces::ORDER, each().map(|(id, r)| (workspaces::place(r), id)))?;
    let due = each().filter_map(|(id, r)| Some((workspaces::due_key(r)?, id)));
    compare(read, found, workspaces::DUE, due)?;
    let held = each().flat_map(|(id, row)| {
        workspaces::held(row).map(move |branch| ((row.project, branch.clone()), id))
    });
    compare(read, found, workspaces::BRANCHES, held)?;
    Ok(findings)
}

/// Compares an index with what it should hold.
fn compare<K: Key + Serialize, V: Record + PartialEq + Copy>(
    read: &ReadTx,
    findings: &mut Vec<Finding>,
    table: Table<K, V>,
    wanted: impl Iterator<Item = (K, V)>,
) -> Result<()> {
    let wanted: BTreeMap<Vec<u8>, (K, V)> =
        wanted.map(|(key, value)| (key.encoded(), (key, value))).collect();
    let stored: BTreeMap<Vec<u8>, (K, V)> = read
        .page(table, .., usize::MAX)?
        .into_iter()
        .map(|(key, value)| (key.encoded(), (key, value)))
        .collect();
    let keys: BTreeSet<&Vec<u8>> = wanted.keys().chain(stored.keys()).collect();
    for key in keys {
        let what = match (wanted.get(key), stored.get(key)) {
            (Some(_), None) => "a record has no such row in this index",
            (None, Some(_)) => "no record has this row of the index",
            (Some((_, wanted)), Some((_, stored))) if wanted != stored => {
                "the row names another record than it should"
            }
            _ => continue,
        };
        let named = wanted.get(key).or(stored.get(key)).map(|(key, _)| serde_json::to_string(key));
        findings.push(Finding {
            table: Some(table.name().to_owned()),
            key: named.and_then(std::result::Result::ok),
            what: what.to_owned(),
        });
    }
    Ok(())
}
