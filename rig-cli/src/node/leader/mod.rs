//! The leader: whoever has the lock opens the store, binds the socket, and serves itself and
//! everyone else who connects.

mod accept;
mod connection;
mod core;
mod doors;
mod lead;
mod leave;
mod role;
mod session;
mod start;
mod works;

pub use role::Role;
pub(super) use session::{Handle, Hold, Items, Session, blocking};
pub(super) use start::Leader;
pub(super) use works::{Done, News};
