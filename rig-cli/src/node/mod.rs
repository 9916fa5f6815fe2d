//! The node: carries operations out.
//!
//! In this version every process is its own node: it opens the store for one transaction at a time,
//! under the lock of the state folder, so that no `rig` that works for minutes keeps another one
//! from the store.

mod configuration;
mod error;
mod events;
mod open;
mod projects;
mod store_tools;
mod turn_store;
mod work;
mod worker;
mod workspaces;

pub use error::{Error, Result};
pub use open::{Handle, Node};
pub use work::LeftTo;
pub(crate) use worker::COMMAND as WORKER;
