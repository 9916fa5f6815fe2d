//! Scheduled messages: written now, delivered once they are due, whatever ran or stopped meanwhile.
//!
//! Each is delivered in the transaction that stores it in the mailbox, with its events and the waits
//! that it ends. One that finds the mailbox full is tried again for an hour; one that cannot be
//! delivered stays with its sender until it is retried or cancelled.

mod cancel;
mod deliver;
mod list;
mod message;
mod retry;
mod rows;
mod schedule;

pub use cancel::{CancelReply, Cancelled, cancel};
pub(crate) use deliver::{fire, is_known};
pub use list::{List, PAGE_BYTES, PAGE_ROWS, get, list};
pub use message::{Failure, Message, NewMessage, Reply, Status};
pub use retry::retry;
pub(crate) use rows::{OWNER, TABLES, agree, prune};
pub use schedule::schedule;
