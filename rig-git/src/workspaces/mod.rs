//! Workspaces: a worktree for each task, from reservation to archive.
//!
//! Each operation is a function over a store and a [`Machine`](crate::Machine). What changes a row
//! is one transaction with its event; the work that is due after it, [`materialize`],
//! [`move_branch`] and [`clean_up`], blocks and is run by the caller. A crash at any point is made
//! good by running it again.

mod add;
mod archiving;
mod base;
mod branch;
mod checkout;
mod create;
mod edit;
mod fetch;
mod find;
mod folder;
mod found;
mod look;
mod materialize;
mod rename;
mod reserve;
mod resolve;
mod restore;
mod retry;
mod root;
mod stop;
mod syncing;
mod verify;

pub(crate) use archiving::archive_row;
pub use archiving::{Cleaned, archive, clean_up, clean_up_reporting, would_lose};
pub use base::MAX_BASE;
pub use branch::move_branch;
pub use create::{NewWorkspace, Planned, create, plan, reserve};
pub use find::{find, get, is_pending, list, pending};
pub use folder::working_folder;
pub use look::{Look, keep_seen, look};
pub use materialize::materialize;
pub use rename::{TakenNames, rename, reorder, take_title};
pub use reserve::PLACEHOLDER;
pub use restore::restore_work;
pub use retry::retry;
pub use syncing::sync_now;
