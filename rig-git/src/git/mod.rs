//! Runs the git program: one function, a bounded time, a process group of its own.

mod contention;
mod run;

#[allow(unused_imports)] // Until the checkout uses it.
pub(crate) use contention::retry_while_locked;
pub use run::{Answer, Call, Git, OLDEST_GIT};
