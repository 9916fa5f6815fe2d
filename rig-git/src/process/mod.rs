//! Runs a program in a session of its own, for a bounded time.

mod group;
mod pipes;
mod run;

pub(crate) use pipes::Stream;
pub(crate) use run::{Ended, run, run_in_order, run_with_log};
