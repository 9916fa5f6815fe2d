//! Projects and workspaces: a Git worktree for each task.

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods))]

pub mod archive;
pub mod error;
mod events;
pub mod git;
pub mod machine;
mod process;
pub mod progress;
pub mod projects;
pub mod repository;
mod rows;
pub mod setup;
pub mod sync;
mod tree;
pub mod turns;
pub mod workspaces;

pub use error::{Error, Result};
pub use machine::Machine;
