//! Reads a repository: through libgit2 where it can, else through the git program, with the same
//! answers.
//!
//! libgit2 is not asked what it would take from the wrong place. It knows the process's own home
//! and not the one that is handed in, so whoever owns a repository must be the current user, or the
//! git program (which has the right home, and so the right `safe.directory`) is asked whether it
//! trusts it; configuration is always the git program's answer. No `GIT_*` variable of the process
//! counts.

mod config;
mod half_made;
mod head;
mod history;
mod linked;
mod open;
mod program;
mod refs;
mod refusal;
mod revision;
mod worktrees;

pub(crate) use half_made::complete_entries;
pub use head::Head;
pub use linked::{Linked, linked};
pub(crate) use linked::{entry_target, gitfile_target};
pub use open::Repository;
pub use worktrees::WorktreeEntry;
