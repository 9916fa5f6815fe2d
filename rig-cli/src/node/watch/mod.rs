//! Watches the sync files of every project that has ready workspaces, and copies what changes.
//!
//! Each such project has one set of watched folders and is looked after by a loop of its own: it stops
//! watching, reads the project's configuration, copies to its ready workspaces, and watches again.
//! That happens when it begins, when a workspace becomes ready and when a change was seen.

mod armed;
mod bell;
mod changes;
mod places;
mod project;
mod ready;
#[cfg(test)]
mod tests;
mod watching;

pub(crate) use ready::ready;
pub(crate) use watching::{Watching, watch};
