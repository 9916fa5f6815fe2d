use std::collections::BTreeMap;
use std::ops::Bound::Unbounded;

use serde::Serialize;

use super::rows::{ANCHOR, BOOT, PENDING, PLACES, Place, WALL};
use super::take::each;
use super::thing::{Due, Owner};
use crate::store::{Finding, Key, KnownTable, Read, ReadTx, Record, Result, Table};

/// The tables of the index, for the tools that look at a whole store.
pub const TABLES: &[KnownTable] =
    &[BOOT.known(), WALL.known(), PLACES.known(), PENDING.known(), ANCHOR.known()];

/// Checks that each thing has exactly one row, and that each owner has as many as were counted.
/// Whether the things themselves have one is for their crates to check.
///
/// # Errors
///
/// If the store failed, or a row cannot be read.
pub fn agree(read: &ReadTx) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    rows(read, BOOT, Place::Boot, &mut findings)?;
    rows(read, WALL, Place::Wall, &mut findings)?;
    let mut counted = BTreeMap::new();
    each(read, PLACES, Unbounded, |due| {
        *counted.entry(due.owner).or_insert(0_u64) += 1;
        let has_row = match read.get(PLACES, due)? {
            Some(Place::Boot(ms)) => read.get(BOOT, &(ms, *due))?.is_some(),
            Some(Place::Wall(at)) => read.get(WALL, &(at, *due))?.is_some(),
            None => true,
        };
        if !has_row {
            findings.push(finding(PLACES, due, "it has no row where this says"));
        }
        Ok(true)
    })?;
    for (owner, pending) in super::pending_by_owner(read)? {
        let counted = counted.remove(&owner).unwrap_or(0);
        if counted != pending {
            let what = format!("{pending} are counted, and there are {counted}");
            findings.push(finding(PENDING, &owner, &what));
        }
    }
    for (owner, counted) in counted {
        findings.push(finding(
            PENDING,
            &owner,
            &format!("there are {counted}, and none is counted"),
        ));
    }
    Ok(findings)
}

/// The things of an owner that have a time armed, in the order of their IDs.
///
/// # Errors
///
/// If the store failed.
pub fn armed(read: &ReadTx, owner: Owner) -> Result<Vec<Due>> {
    let mut armed = Vec::new();
    each(read, PLACES, Unbounded, |due| {
        armed.extend(Some(*due).filter(|due| due.owner == owner));
        Ok(true)
    })?;
    Ok(armed)
}

/// Checks that each row of an index is the one that its thing is said to have.
fn rows<T: Key + Copy + Serialize, V: Record>(
    read: &ReadTx,
    table: Table<(T, Due), V>,
    place: impl Fn(T) -> Place,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    each(read, table, Unbounded, |key| {
        if read.get(PLACES, &key.1)? != Some(place(key.0)) {
            findings.push(finding(table, key, "nothing has its row here"));
        }
        Ok(true)
    })
    .map(drop)
}

fn finding<K: Key + Serialize, V: Record>(table: Table<K, V>, key: &K, what: &str) -> Finding {
    Finding {
        table: Some(table.name().to_owned()),
        key: serde_json::to_string(key).ok(),
        what: what.to_owned(),
    }
}
