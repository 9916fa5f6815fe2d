//! Runs the git program: one function, a bounded time, a process group of its own.

mod run;

pub use run::{Answer, Call, Git, OLDEST_GIT};
