//! Durable waits: of a caller, until a time or until something interrupts them.
//!
//! A wait of some length is measured in elapsed time, whatever the wall clock is set to; one until
//! an instant follows the wall clock. Each ends exactly once, in the transaction that first finds a
//! reason: it is due, a message is newly stored for the agent, it is cancelled, or its agent is
//! stopped. Whatever looks first, what is due by then has elapsed.

mod cancel;
mod end;
mod fire;
mod look;
mod outcome;
mod rows;
mod seconds;
mod start;
mod wait;

pub use cancel::{Cancelled, cancel};
pub(crate) use end::end_for;
pub use end::{agent_stopped, message_arrived};
pub(crate) use fire::{fire, is_known};
pub use look::{by_key, get, of_batch, pending_of};
pub use outcome::{Ended, Outcome, Reason, Waiting, WaitingStatus};
pub(crate) use rows::{OWNER, TABLES, agree, prune};
pub use seconds::Seconds;
pub use start::start;
pub use wait::{NewWait, Wait};
