//! The node: whoever is there leads.
//!
//! One process at a time has the store of a state folder open: whoever holds the lock of the file
//! `rig.lock`. It serves itself and, over a socket, everyone else. A command leads until it is done, a
//! host or a daemon for as long as it runs. When the leader goes, one of those who wait takes over.

mod agent_looks;
mod agents;
mod configuration;
mod daemon;
mod error;
mod events;
mod leader;
mod link;
mod lock;
mod mail;
mod open;
mod projects;
mod reach;
mod schedule;
mod socket;
mod store_tools;
mod waits;
mod watch;
mod work;
mod workspaces;

pub(crate) use configuration::{checked, idle_exit, shown};
pub(crate) use daemon::{Detach, Log, Ready, Standing};
pub(crate) use error::Error;
pub(crate) use leader::Role;
pub use open::Node;
pub(crate) use open::{Hooks, Interrupt, Manner};
