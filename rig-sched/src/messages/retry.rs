use rig_core::caller::Caller;
use rig_core::clock::Now;
use rig_core::id::ScheduleId;
use rig_core::store::Tx;

use super::cancel::settled;
use super::list::get;
use super::message::{Message, Status};
use super::rows::{KEPT, put};
use crate::MAX_PENDING_MESSAGES;
use crate::error::{Error, Result};

/// Makes an undelivered message of the caller's own due now, as if it were scheduled anew: its
/// attempts and its expiry count from now. The person retries any. One that is pending stays as it
/// is.
///
/// # Errors
///
/// [`Error::ScheduleNotFound`] if there is none, or it is another agent's;
/// [`Error::ScheduleSettled`] if it is delivered, cancelled or expired; [`Error::TooManyScheduled`]
/// if the sender has as many pending as it may; or if the store failed.
pub fn retry(tx: &Tx<'_>, now: Now, caller: Caller, id: ScheduleId) -> Result<Message> {
    let before = get(tx, caller, id)?;
    match before.status {
        Status::Pending => return Ok(before),
        Status::Undelivered => {}
        _ => return Err(settled(&before)),
    }
    let pending = KEPT.counts(tx, before.sender)?.pending;
    if pending >= MAX_PENDING_MESSAGES {
        return Err(Error::TooManyScheduled { pending, limit: MAX_PENDING_MESSAGES });
    }
    let message = Message {
        status: Status::Pending,
        due_at: now.wall,
        updated_at: now.wall,
        // What the calendar does not have is never.
        expires_at: before.expires_after.and_then(|after| now.wall.checked_add(after)),
        attempts: 0,
        first_attempt_at: None,
        next_attempt_at: None,
        failure: None,
        ..before.clone()
    };
    put(tx, Some(&before), &message, "scheduled.retried")?;
    Ok(message)
}
