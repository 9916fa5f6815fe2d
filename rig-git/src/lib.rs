//! Projects and workspaces: a Git worktree for each task, on a branch of its own.
//!
//! ```
//! use rig_core::caller::Caller;
//! use rig_core::cancel::Cancel;
//! use rig_core::store::{Options, Store};
//! use rig_git::workspaces::{self, NewWorkspace};
//! use rig_git::{Machine, projects};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().canonicalize()?;
//! # let repository = folder.join("app");
//! # let git = |args: &[&str]| {
//! #     let identity = ["-c", "user.name=n", "-c", "user.email=e@e"];
//! #     std::process::Command::new("git").current_dir(&folder).args(identity).args(args).output()
//! # };
//! # git(&["init", "-q", "app"])?;
//! # git(&["-C", "app", "commit", "-q", "--allow-empty", "-m", "first"])?;
//! // What the library needs is handed in: it reads no environment of its own.
//! let (state, root) = (folder.join("state"), folder.join("workspaces"));
//! let store = Store::open(&state.join("rig.redb"), Options::default())?;
//! let machine = Machine::new(std::env::vars_os().collect(), state, root)?;
//! let cancel = Cancel::new();
//!
//! let project = projects::add(&store, &machine, &repository, None)?;
//! let new = NewWorkspace {
//!     project: project.id,
//!     id: None,
//!     name: Some("Retry policy rewrite".to_owned()),
//!     base: None,
//!     caller: Caller::Person,
//! };
//! // Reserved at once; made in as long as git takes, and gone on with after a crash.
//! let workspace = workspaces::create(&store, &machine, new, &cancel)?;
//! let workspace = workspaces::materialize(&store, &machine, workspace.id, &mut |_| {}, &cancel)?;
//! assert_eq!(workspace.branch, "worktree/retry-policy-rewrite");
//! assert!(workspace.path.join(".git").exists());
//!
//! // Archiving saves what was not committed before it deletes the folder.
//! std::fs::write(workspace.path.join("notes.txt"), "not committed")?;
//! workspaces::archive(&store, workspace.id, None, Caller::Person, None)?;
//! let cleaned = workspaces::clean_up(&store, &machine, workspace.id, &cancel)?;
//! assert!(cleaned.workspace.saved.is_some());
//! assert!(!workspace.path.exists());
//! # Ok(())
//! # }
//! ```
//!
//! What it guarantees:
//!
//! - Nothing is lost: work that no commit holds is saved under `refs/rig/archived/` before a folder
//!   is deleted, branches are kept unless their deletion was asked for, and a lock file of git's is
//!   never deleted.
//! - Nothing of anybody else's is touched: a folder is only deleted if its `.git` and the
//!   repository's entry of it name each other, or an interrupted removal left it.
//! - A call that is repeated with the same ID makes nothing twice, and a crash at any point is made
//!   good by running the work that [`workspaces::pending`] lists.
//! - git's own hooks, filters, sparse checkouts and credentials work, since the git program (2.30 or
//!   newer) makes the worktrees.
//!
//! What it refuses:
//!
//! - To read the environment or the clock, to start threads, or to print. What takes long takes a
//!   [`Cancel`](rig_core::cancel::Cancel) flag.
//! - Folders that are no Git repository with a commit, and repositories that git does not trust.
//! - To prompt: git runs without a terminal.

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
pub use rows::{TABLES, agree};
