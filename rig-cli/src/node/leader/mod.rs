//! The leader: whoever has the lock opens the store, binds the socket, and serves itself and
//! everyone else who connects.

mod accept;
mod arguments;
mod beat;
mod bound;
mod connection;
mod core;
mod departure;
mod doors;
mod ears;
mod files;
mod firing;
mod idle;
mod lead;
mod leave;
mod line;
mod present;
mod requests;
mod role;
mod session;
mod start;
mod timer;
mod working;
mod works;

pub(super) use core::Core;
pub(super) use departure::Left;
pub(super) use leave::Why;
pub(crate) use role::Role;
pub(super) use session::{Handle, Hold, Items, Session, blocking};
pub(super) use start::{Leader, Start};
pub(super) use works::{CleanedUp, Done, News};
