//! Runs the git program: one function, a bounded time, a process group of its own.

mod call;
mod contention;
mod environment;
mod failure;
mod program;
mod tail;
mod version;

pub use call::{Answer, Call};
pub(crate) use contention::retry_while_locked;
pub use environment::sanitized;
pub use program::Git;
pub use version::Version;
