use std::time::Duration;

use rig_core::call_key::{CallIdentity, CallKey};
use rig_core::caller::Caller;
use rig_core::clock::Boot;
use rig_core::due::{self, Due, Owner};
use rig_core::id::WaitId;
use rig_core::store::{Error, Finding, KnownTable, Read, ReadTx, Record, Result, Table, Tx};
use rig_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::outcome::{Ended, Reason};
use super::seconds::Seconds;
use super::wait::Wait;
use crate::agree::{Agree, keys};
use crate::kept::Kept;
use crate::stored::{StoredKey, StoredTime};

/// Whose due rows they are.
pub(crate) const OWNER: Owner = Owner::new("wait");

/// The family of calls.
const FAMILY: &str = "wait";

pub(super) const WAITS: Table<WaitId, StoredWait> = Table::new("sched/waits");
pub(super) const KEYS: Table<CallIdentity, KeyRow> = Table::new("sched/wait_keys");
/// By the time they are due.
pub(super) const PENDING: Table<(Caller, Timestamp, WaitId), ()> =
    Table::new("sched/waits_pending");
pub(super) const KEPT: Kept<WaitId> = Kept {
    kind: "wait",
    settled: Table::new("sched/waits_settled"),
    counts: Table::new("sched/wait_counts"),
};

/// The tables of waits.
pub(crate) const TABLES: [KnownTable; 5] =
    [WAITS.known(), KEYS.known(), PENDING.known(), KEPT.settled.known(), KEPT.counts.known()];

/// A wait on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredWait {
    caller: Caller,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<StoredKey>,
    time: StoredTime,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    requested: Value,
    started_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    started_boot: Option<Boot>,
    due_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<StoredEnd>,
}

/// How a wait ended, on disk.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredEnd {
    at: Timestamp,
    elapsed_ms: u64,
    reason: Reason,
}

impl Record for StoredWait {}

/// A row of [`KEYS`] on disk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeyRow {
    pub(super) wait: WaitId,
    pub(super) index: u64,
}

impl Record for KeyRow {}

fn stored(wait: &Wait) -> StoredWait {
    StoredWait {
        caller: wait.caller,
        key: wait.key.as_ref().map(StoredKey::of),
        time: wait.time.into(),
        requested: wait.requested.clone(),
        started_at: wait.started_at,
        started_boot: wait.started_boot,
        due_at: wait.due_at,
        ended: wait.ended.map(|ended| StoredEnd {
            at: ended.at,
            elapsed_ms: u64::try_from(ended.elapsed.0.as_millis()).unwrap_or(u64::MAX),
            reason: ended.reason,
        }),
    }
}

fn wait(id: WaitId, stored: StoredWait) -> Wait {
    Wait {
        id,
        caller: stored.caller,
        key: stored.key.and_then(StoredKey::key),
        time: stored.time.into(),
        requested: stored.requested,
        started_at: stored.started_at,
        started_boot: stored.started_boot,
        due_at: stored.due_at,
        ended: stored.ended.map(|ended| Ended {
            at: ended.at,
            elapsed: Seconds(Duration::from_millis(ended.elapsed_ms)),
            reason: ended.reason,
        }),
    }
}

/// The wait of this ID.
pub(super) fn find(r: &impl Read, id: WaitId) -> Result<Option<Wait>> {
    Ok(r.get(WAITS, &id)?.map(|stored| wait(id, stored)))
}

/// Which wait a call of a caller made.
pub(super) fn find_key(r: &impl Read, caller: Caller, key: &CallKey) -> Result<Option<WaitId>> {
    Ok(r.get(KEYS, &key.identity(caller, FAMILY))?.map(|row| row.wait))
}

/// The waits of a batch, by index.
pub(super) fn find_batch(r: &impl Read, caller: Caller, batch: &str) -> Result<Vec<WaitId>> {
    let mut rows = r.beginning_with(KEYS, &CallIdentity::of_batch(caller, FAMILY, batch))?;
    rows.sort_by_key(|(_, row)| row.index);
    Ok(rows.into_iter().map(|(_, row)| row.wait).collect())
}

pub(super) fn due_of(id: WaitId) -> Due {
    Due::new(OWNER, id.bits())
}

/// Stores a new wait, pending or settled.
pub(super) fn insert(tx: &Tx<'_>, wait: &Wait) -> Result<()> {
    if let Some(key) = &wait.key {
        let row = KeyRow { wait: wait.id, index: key.index() };
        tx.put(KEYS, &key.identity(wait.caller, FAMILY), &row)?;
    }
    tx.put(WAITS, &wait.id, &stored(wait))?;
    match wait.ended {
        None => {
            tx.put(PENDING, &(wait.caller, wait.due_at, wait.id), &())?;
            KEPT.pend(tx, wait.caller)
        }
        Some(ended) => KEPT.settle(tx, wait.caller, ended.at, wait.id),
    }
}

/// Stores the end of a wait that was pending.
pub(super) fn settle(tx: &Tx<'_>, wait: &Wait, ended: Ended) -> Result<()> {
    tx.put(WAITS, &wait.id, &stored(wait))?;
    tx.remove(PENDING, &(wait.caller, wait.due_at, wait.id))?;
    due::disarm(tx, due_of(wait.id))?;
    KEPT.end(tx, wait.caller, ended.at, wait.id)
}

/// Removes the settled waits of a caller that are too many.
pub(crate) fn prune(tx: &Tx<'_>, caller: Caller) -> Result<()> {
    KEPT.prune(tx, caller, |tx, id| match find(tx, id) {
        Ok(Some(wait)) => {
            if let Some(key) = &wait.key {
                tx.remove(KEYS, &key.identity(caller, FAMILY))?;
            }
            tx.remove(WAITS, &id)
        }
        Ok(None) => Ok(true),
        Err(Error::RecordNewer { .. }) => Ok(false),
        Err(Error::RecordUnreadable { .. }) => {
            quarantine(tx, id)?;
            Ok(false)
        }
        Err(other) => Err(other),
    })
}

/// Puts a wait that cannot be read aside, with all its rows. What they are only they themselves can
/// tell by now, so all are looked through.
pub(super) fn quarantine(tx: &Tx<'_>, id: WaitId) -> Result<()> {
    tx.quarantine(WAITS, &id)?;
    due::disarm(tx, due_of(id))?;
    for key in keys(tx, PENDING, |(.., wait)| *wait == id)? {
        tx.remove(PENDING, &key)?;
        KEPT.unpend(tx, key.0)?;
    }
    for key in keys(tx, KEPT.settled, |(.., wait)| *wait == id)? {
        tx.remove(KEPT.settled, &key)?;
        KEPT.unsettle(tx, key.0, 1)?;
    }
    for key in keys(tx, KEYS, |_| true)? {
        if tx.get(KEYS, &key)?.is_some_and(|row| row.wait == id) {
            tx.remove(KEYS, &key)?;
        }
    }
    Ok(())
}

/// Checks that the records of waits and their rows agree one to one.
///
/// # Errors
///
/// If the store failed, or a row cannot be read.
pub(crate) fn agree(read: &ReadTx) -> Result<Vec<Finding>> {
    let mut agree = Agree::new(read);
    // What cannot be read is told by who reads every record.
    let wait_of = |id| find(read, id).ok().flatten();
    for id in keys(read, WAITS, |_| true)? {
        let Some(wait) = wait_of(id) else { continue };
        if let Some(key) = &wait.key {
            let row = KeyRow { wait: id, index: key.index() };
            agree.has(KEYS, &key.identity(wait.caller, FAMILY), &row)?;
        }
        agree.is_armed(due_of(id), wait.ended.is_none())?;
        match wait.ended {
            None => {
                agree.has(PENDING, &(wait.caller, wait.due_at, id), &())?;
                agree.of(wait.caller).pending += 1;
            }
            Some(ended) => {
                agree.has(KEPT.settled, &(wait.caller, ended.at, id), &())?;
                agree.of(wait.caller).settled += 1;
            }
        }
    }
    agree.belongs(KEYS, |key, row| {
        wait_of(row.wait).is_some_and(|wait| {
            wait.key.is_some_and(|own| own.identity(wait.caller, FAMILY) == *key)
        })
    })?;
    agree.belongs(PENDING, |&(caller, due_at, id), ()| {
        wait_of(id).is_some_and(|wait| {
            wait.ended.is_none() && (wait.caller, wait.due_at) == (caller, due_at)
        })
    })?;
    agree.belongs(KEPT.settled, |&(caller, at, id), ()| {
        wait_of(id).is_some_and(|wait| {
            wait.caller == caller && wait.ended.is_some_and(|ended| ended.at == at)
        })
    })?;
    agree.due(OWNER, |id| {
        Ok(read.get(WAITS, &WaitId::from_bits(id)).map_or(true, |w| w.is_some()))
    })?;
    agree.counted(KEPT.counts)
}
