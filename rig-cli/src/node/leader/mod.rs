//! The leader: whoever has the lock opens the store, binds the socket, and serves itself and
//! everyone else who connects.

mod accept;
mod connection;
mod core;
mod doors;
mod idle;
mod lead;
mod leave;
mod line;
mod requests;
mod role;
mod session;
mod start;
mod works;

pub(super) use core::Core;
pub(super) use lead::Left;
pub(super) use leave::Why;
pub use role::Role;
pub(super) use session::{Handle, Hold, Items, Session, blocking};
pub(super) use start::{Leader, Start};
pub(super) use works::{Done, News};
