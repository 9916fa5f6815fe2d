//! Setup: runs the project's commands in a new workspace and keeps what they print.
//!
//! They run in order until one fails, each in the user's login shell, in the workspace, in a session
//! of its own with nothing to read. Every attempt runs all of them from the first: they must be
//! repeatable.

mod command;
mod log;
mod output;
mod run;

pub use log::log_path;
pub use run::run;
