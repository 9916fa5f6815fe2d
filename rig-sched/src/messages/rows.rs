use std::time::Duration;

use rig_core::call_key::{CallIdentity, CallKey};
use rig_core::caller::Caller;
use rig_core::due::{self, Due, Owner, When};
use rig_core::id::{AgentId, ScheduleId};
use rig_core::mail::Body;
use rig_core::store::{Error, Finding, KnownTable, Read, ReadTx, Record, Result, Table, Tx};
use rig_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::{Failure, Message, Status};
use crate::agree::{Agree, keys};
use crate::kept::Kept;
use crate::stored::{StoredKey, StoredTime, millis};

/// Whose due rows they are.
pub(crate) const OWNER: Owner = Owner::new("message");

/// The family of calls.
const FAMILY: &str = "message";

pub(super) const MESSAGES: Table<ScheduleId, StoredMessage> = Table::new("sched/messages");
const KEYS: Table<CallIdentity, KeyRow> = Table::new("sched/message_keys");
/// All messages, by when they were scheduled.
pub(super) const BY_AGE: Table<(Timestamp, ScheduleId), ()> = Table::new("sched/messages_by_age");
pub(super) const BY_SENDER: Table<(Caller, Timestamp, ScheduleId), ()> =
    Table::new("sched/messages_by_sender");
pub(super) const KEPT: Kept<ScheduleId> = Kept {
    kind: "message",
    settled: Table::new("sched/messages_settled"),
    counts: Table::new("sched/message_counts"),
};

/// The tables of scheduled messages.
pub(crate) const TABLES: [KnownTable; 6] = [
    MESSAGES.known(),
    KEYS.known(),
    BY_AGE.known(),
    BY_SENDER.known(),
    KEPT.settled.known(),
    KEPT.counts.known(),
];

/// A scheduled message on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredMessage {
    sender: Caller,
    target: AgentId,
    body: Body,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<StoredKey>,
    time: StoredTime,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_after_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    requested: Value,
    status: Status,
    due_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delivered_at: Option<Timestamp>,
    attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_attempt_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
}

impl Record for StoredMessage {}

/// The same records, of which only that is read by which their rows are found.
const PLACED: Table<ScheduleId, Placed> = Table::new(MESSAGES.name());

/// Part of [`StoredMessage`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Placed {
    created_at: Timestamp,
    #[serde(default)]
    key: Option<StoredKey>,
}

impl Record for Placed {
    const VERSION: u8 = StoredMessage::VERSION;
}

/// A row of [`KEYS`] on disk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct KeyRow {
    message: ScheduleId,
}

impl Record for KeyRow {}

fn stored(message: &Message) -> StoredMessage {
    StoredMessage {
        sender: message.sender,
        target: message.target_agent_id,
        body: message.message.clone(),
        key: message.key.as_ref().map(StoredKey::of),
        time: message.time.into(),
        expires_after_ms: message.expires_after.map(millis),
        requested: message.requested.clone(),
        status: message.status,
        due_at: message.due_at,
        created_at: message.created_at,
        updated_at: message.updated_at,
        expires_at: message.expires_at,
        delivered_at: message.delivered_at,
        attempts: message.attempts,
        first_attempt_at: message.first_attempt_at,
        next_attempt_at: message.next_attempt_at,
        failure: message.failure.clone(),
    }
}

fn message(id: ScheduleId, stored: StoredMessage) -> Message {
    Message {
        id,
        sender: stored.sender,
        target_agent_id: stored.target,
        message: stored.body,
        due_at: stored.due_at,
        status: stored.status,
        created_at: stored.created_at,
        updated_at: stored.updated_at,
        delivered_at: stored.delivered_at,
        failure: stored.failure,
        attempts: stored.attempts,
        next_attempt_at: stored.next_attempt_at,
        expires_at: stored.expires_at,
        requested: stored.requested,
        key: stored.key.and_then(StoredKey::key),
        time: stored.time.into(),
        expires_after: stored.expires_after_ms.map(Duration::from_millis),
        first_attempt_at: stored.first_attempt_at,
    }
}

/// The message of this ID.
pub(super) fn find(r: &impl Read, id: ScheduleId) -> Result<Option<Message>> {
    Ok(r.get(MESSAGES, &id)?.map(|stored| message(id, stored)))
}

/// Which message a call of a caller scheduled.
pub(super) fn find_key(r: &impl Read, caller: Caller, key: &CallKey) -> Result<Option<ScheduleId>> {
    Ok(r.get(KEYS, &key.identity(caller, FAMILY))?.map(|row| row.message))
}

pub(super) fn due_of(id: ScheduleId) -> Due {
    Due::new(OWNER, id.bits())
}

/// Stores a message with its rows, in place of how it was `before`, and appends its event.
pub(super) fn put(
    tx: &Tx<'_>,
    before: Option<&Message>,
    after: &Message,
    event: &'static str,
) -> Result<()> {
    let (id, sender) = (after.id, after.sender);
    tx.put(MESSAGES, &id, &stored(after))?;
    if before.is_none() {
        if let Some(key) = &after.key {
            tx.put(KEYS, &key.identity(sender, FAMILY), &KeyRow { message: id })?;
        }
        tx.put(BY_AGE, &(after.created_at, id), &())?;
        tx.put(BY_SENDER, &(sender, after.created_at, id), &())?;
    }
    let was_armed = before.and_then(Message::armed_at).is_some();
    if let Some(at) = after.armed_at() {
        due::arm(tx, due_of(id), When::Wall(at))?;
    } else if was_armed {
        due::disarm(tx, due_of(id))?;
    }
    match (was_armed, after.armed_at().is_some(), after.status.is_settled()) {
        (false, true, _) => KEPT.pend(tx, sender)?,
        (true, false, true) => KEPT.end(tx, sender, after.updated_at, id)?,
        (true, false, false) => KEPT.unpend(tx, sender)?,
        (false, false, true) => KEPT.settle(tx, sender, after.updated_at, id)?,
        (true, true, _) | (false, false, false) => {}
    }
    tell(tx, before, after, event)
}

/// What an event tells: IDs, states and times.
#[derive(Serialize)]
struct Told<'a> {
    target_agent_id: AgentId,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Status>,
    status: Status,
    due_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    late_ms: Option<u64>,
    attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

/// Appends an event, which concerns the sender alone.
fn tell(tx: &Tx<'_>, before: Option<&Message>, after: &Message, event: &'static str) -> Result<()> {
    let told = Told {
        target_agent_id: after.target_agent_id,
        before: before.map(|before| before.status),
        status: after.status,
        due_at: after.due_at,
        late_ms: after.delivered_at.map(|at| millis(at.since(after.due_at))),
        attempts: after.attempts,
        failure: after.failure.as_ref().map(|failure| failure.code.as_str()),
        next_attempt_at: after.next_attempt_at,
        expires_at: after.expires_at,
    };
    tx.event(event, &[&after.id], after.sender.agent(), &told)
}

/// Removes the settled messages of a sender that are too many.
pub(crate) fn prune(tx: &Tx<'_>, sender: Caller) -> Result<()> {
    KEPT.prune(tx, sender, |tx, id| match tx.get(PLACED, &id) {
        Ok(Some(Placed { created_at, key })) => {
            if let Some(key) = key.and_then(StoredKey::key) {
                tx.remove(KEYS, &key.identity(sender, FAMILY))?;
            }
            tx.remove(BY_AGE, &(created_at, id))?;
            tx.remove(BY_SENDER, &(sender, created_at, id))?;
            tx.remove(MESSAGES, &id)
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

/// Puts a message that cannot be read aside, with all its rows. What they are only they themselves
/// can tell by now, so all are looked through.
pub(super) fn quarantine(tx: &Tx<'_>, id: ScheduleId) -> Result<()> {
    tx.quarantine(MESSAGES, &id)?;
    let was_pending = due::disarm(tx, due_of(id))?;
    for key in keys(tx, BY_SENDER, |(.., message)| *message == id)? {
        tx.remove(BY_SENDER, &key)?;
        if was_pending {
            KEPT.unpend(tx, key.0)?;
        }
    }
    for key in keys(tx, BY_AGE, |(_, message)| *message == id)? {
        tx.remove(BY_AGE, &key)?;
    }
    for key in keys(tx, KEPT.settled, |(.., message)| *message == id)? {
        tx.remove(KEPT.settled, &key)?;
        KEPT.unsettle(tx, key.0, 1)?;
    }
    for key in keys(tx, KEYS, |_| true)? {
        if tx.get(KEYS, &key)?.is_some_and(|row| row.message == id) {
            tx.remove(KEYS, &key)?;
        }
    }
    Ok(())
}

/// Checks that the records of messages and their rows agree one to one.
pub(crate) fn agree(read: &ReadTx) -> Result<Vec<Finding>> {
    let mut agree = Agree::new(read);
    // What cannot be read is told by who reads every record.
    let message_of = |id| find(read, id).ok().flatten();
    for id in keys(read, MESSAGES, |_| true)? {
        let Some(message) = message_of(id) else { continue };
        let sender = message.sender;
        if let Some(key) = &message.key {
            agree.has(KEYS, &key.identity(sender, FAMILY), &KeyRow { message: id })?;
        }
        agree.has(BY_AGE, &(message.created_at, id), &())?;
        agree.has(BY_SENDER, &(sender, message.created_at, id), &())?;
        agree.is_armed(due_of(id), message.armed_at().is_some())?;
        if message.armed_at().is_some() {
            agree.of(sender).pending += 1;
        }
        if message.status.is_settled() {
            agree.has(KEPT.settled, &(sender, message.updated_at, id), &())?;
            agree.of(sender).settled += 1;
        }
    }
    agree.belongs(KEYS, |key, row| {
        message_of(row.message).is_some_and(|message| {
            message.key.is_some_and(|own| own.identity(message.sender, FAMILY) == *key)
        })
    })?;
    agree.belongs(BY_AGE, |&(at, id), ()| {
        message_of(id).is_some_and(|message| message.created_at == at)
    })?;
    agree.belongs(BY_SENDER, |&(sender, at, id), ()| {
        message_of(id).is_some_and(|m| (m.sender, m.created_at) == (sender, at))
    })?;
    agree.belongs(KEPT.settled, |&(sender, at, id), ()| {
        message_of(id)
            .is_some_and(|m| m.status.is_settled() && (m.sender, m.updated_at) == (sender, at))
    })?;
    agree.due(OWNER, |id| {
        Ok(read.get(MESSAGES, &ScheduleId::from_bits(id)).map_or(true, |found| found.is_some()))
    })?;
    agree.counted(KEPT.counts)
}
