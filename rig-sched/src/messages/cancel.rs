use rig_core::caller::Caller;
use rig_core::clock::Now;
use rig_core::id::ScheduleId;
use rig_core::store::Tx;
use serde::{Deserialize, Serialize};

use super::list::get;
use super::message::{Message, Status};
use super::rows::{prune, put};
use crate::error::{Error, Result};

/// What came of cancelling a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Cancelled {
    /// The message as it is now.
    pub message: Message,
    /// Whether it is cancelled, now or since before.
    pub cancelled: bool,
}

/// The reply to whoever cancels a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelReply {
    /// Its ID.
    pub id: ScheduleId,
    /// Whether it is cancelled, now or since before.
    pub cancelled: bool,
    /// Where it is.
    pub status: Status,
}

impl Cancelled {
    /// The reply.
    #[must_use]
    pub fn reply(&self) -> CancelReply {
        let (id, status) = (self.message.id, self.message.status);
        CancelReply { id, cancelled: self.cancelled, status }
    }

    /// The error for whoever takes it for one that the message is settled otherwise:
    /// `schedule_settled`.
    #[must_use]
    pub fn refusal(&self) -> Option<Error> {
        (!self.cancelled).then(|| settled(&self.message))
    }
}

/// The message is past what was asked for.
pub(super) fn settled(message: &Message) -> Error {
    let (id, state, at) = (message.id, message.status.name(), message.updated_at);
    Error::ScheduleSettled { id, state, at }
}

/// Cancels a message of the caller's own that is pending or undelivered; the person cancels any.
/// One that is settled stays as it is.
///
/// # Errors
///
/// [`Error::ScheduleNotFound`] if there is none, or it is another agent's; or if the store failed.
pub fn cancel(tx: &Tx<'_>, now: Now, caller: Caller, id: ScheduleId) -> Result<Cancelled> {
    let mut message = get(tx, caller, id)?;
    if !message.status.is_settled() {
        let before = message.clone();
        message.status = Status::Cancelled;
        message.updated_at = now.wall;
        message.next_attempt_at = None;
        put(tx, Some(&before), &message, "scheduled.cancelled")?;
        prune(tx, message.sender)?;
    }
    Ok(Cancelled { cancelled: message.status == Status::Cancelled, message })
}
