//! Sync: brings a workspace what git cannot, such as ignored `.env` files.
//!
//! Each path of `workspace.sync` and `workspace.protected_sync` that exists in the project's root goes
//! to the same place in the workspace. It is one-way: the root's copy always wins, what only the
//! workspace has stays, and nothing is deleted because the root lost it. Links in the root are
//! followed and their contents copied; links in the workspace are never written through. Whatever is
//! called `.git`, at any depth, is left alone.

mod above;
mod copy;
mod pass;
mod paths;
mod place;
mod protect;
mod report;
mod source;
mod unchanged;

pub use pass::pass;
pub use paths::{faults, listed};
pub use protect::check_write;
pub use report::{SyncReport, Synced, SyncedPath};

pub(crate) use unchanged::is_unchanged_copy;
