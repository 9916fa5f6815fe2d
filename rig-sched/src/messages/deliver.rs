use std::time::Duration;

use rig_core::clock::Now;
use rig_core::id::ScheduleId;
use rig_core::mail::{self, Delivered, Kind};
use rig_core::store::{Error, Read, Tx};
use rig_core::time::Timestamp;
use rig_core::{agent, due};

use super::message::{Failure, Message, Status};
use super::rows::{MESSAGES, due_of, find, put, quarantine};
use crate::error::Result;

/// The pause after the first attempt that found the mailbox full.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// No pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// No attempt is made later than that after the first.
const TRIED: Duration = Duration::from_hours(1);

/// Delivers a message that is due, if it is pending still, or stores why not; without pruning.
/// Answers the message, and what was delivered.
pub(crate) fn fire(
    tx: &Tx<'_>,
    now: Now,
    id: ScheduleId,
) -> Result<Option<(Message, Option<Delivered>)>> {
    match find(tx, id) {
        Ok(Some(message)) if message.status == Status::Pending => {
            attempt(tx, now, &message).map(Some)
        }
        Ok(_) => {
            // Nothing has this time: whatever armed it is gone.
            due::disarm(tx, due_of(id))?;
            Ok(None)
        }
        Err(Error::RecordUnreadable { .. }) => {
            quarantine(tx, id)?;
            Ok(None)
        }
        Err(other) => Err(other.into()),
    }
}

/// Whether this build can settle the message.
pub(crate) fn is_known(r: &impl Read, id: ScheduleId) -> rig_core::store::Result<bool> {
    crate::fire::is_of_this_build(r, MESSAGES, &id)
}

fn attempt(tx: &Tx<'_>, now: Now, before: &Message) -> Result<(Message, Option<Delivered>)> {
    let mut message = Message { updated_at: now.wall, next_attempt_at: None, ..before.clone() };
    if message.expires_at.is_some_and(|expires_at| now.wall > expires_at) {
        message.status = Status::Expired;
        put(tx, Some(before), &message, "scheduled.expired")?;
        return Ok((message, None));
    }
    message.attempts = message.attempts.saturating_add(1);
    let first = *message.first_attempt_at.get_or_insert(now.wall);
    let refused = match mail::deliver(tx, now, &mail_of(&message)) {
        Ok(delivered) => {
            message.status = Status::Delivered;
            message.delivered_at = Some(now.wall);
            message.failure = None;
            put(tx, Some(before), &message, "scheduled.delivered")?;
            return Ok((message, Some(delivered)));
        }
        Err(refused) => refused,
    };
    message.failure = Some(failure(&refused)?);
    if matches!(refused, mail::Error::MailboxFull { .. }) {
        message.next_attempt_at = next_attempt(now, first, message.attempts);
    }
    let event = if message.next_attempt_at.is_some() {
        "scheduled.attempt_failed"
    } else {
        message.status = Status::Undelivered;
        "scheduled.undelivered"
    };
    put(tx, Some(before), &message, event)?;
    Ok((message, None))
}

/// When the mailbox is tried again after so many attempts; none if that is too late.
fn next_attempt(now: Now, first: Timestamp, attempts: u32) -> Option<Timestamp> {
    let doubled = 2_u32.checked_pow(attempts.saturating_sub(1));
    let pause = doubled.and_then(|factor| FIRST_PAUSE.checked_mul(factor));
    let again = now.wall.checked_add(pause.unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE))?;
    (again.since(first) <= TRIED).then_some(again)
}

/// The message as it goes into the mailbox, with the same ID on every attempt.
fn mail_of(message: &Message) -> mail::NewMessage {
    let (to, body) = (message.target_agent_id, message.message.clone());
    mail::NewMessage {
        id: Some(message.message_id()),
        kind: Kind::Scheduled,
        ..mail::NewMessage::new(message.sender.into(), to, body)
    }
}

/// A refusal as it is stored. Where the store itself failed, nothing can be.
fn failure(refused: &mail::Error) -> Result<Failure> {
    match refused {
        mail::Error::Store(error) | mail::Error::Agent(agent::Error::Store(error))
            if !matches!(error, Error::RecordNewer { .. } | Error::RecordUnreadable { .. }) =>
        {
            Err(error.clone().into())
        }
        refused => Ok(Failure { code: refused.code().to_owned(), message: refused.to_string() }),
    }
}
