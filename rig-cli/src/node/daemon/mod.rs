//! The daemon: a leader with no request of its own, so it stays.

mod detach;
mod log;
mod operations;
mod pending;
mod serve;
mod standby;
mod stop;

pub(crate) use detach::{Detach, Ready};
pub(crate) use log::Log;
pub(crate) use serve::Standing;
pub(super) use standby::Standby;
