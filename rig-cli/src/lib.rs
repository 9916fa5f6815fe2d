//! The `rig` command, and the node that a host can open itself.
//!
//! A command asks for an [operation](operations), and the [node] of whoever leads carries it out: one
//! process at a time has the store of this machine's projects, workspaces, agents, waits and messages
//! open, and serves all others over a socket. Each operation exists once, as a request and a reply;
//! `rig schema` prints them all.
//!
//! A program that opens a [`Node`] stays: it leads as soon as nobody else does, and then also does
//! what is due by itself, such as making workspaces and ending waits, whoever asked for it. What was
//! answered is on disk. When the leader goes away before it answered, a call is made again, with the
//! same IDs, to the next one; a call with an ID of the caller's own takes effect once, however often
//! it is made. A node refuses a state folder whose socket others could get at, and a store that a
//! newer build wrote. It reads no environment but the one it is given.
//!
//! ```
//! use rig_cli::Node;
//! use rig_cli::environment::Environment;
//! use rig_cli::operations::{AddProject, ListProjects};
//!
//! let home = tempfile::tempdir()?;
//! let folder = home.path().join("notes");
//! std::fs::create_dir(&folder)?;
//!
//! let path = std::env::var("PATH")?;
//! let environment = Environment::new([("HOME", home.path()), ("PATH", path.as_ref())]);
//! let node = Node::open(environment)?;
//! let added = node.call(AddProject { path: folder.into(), id: None })?;
//! assert_eq!(added.name, "notes");
//!
//! let listed = node.call(ListProjects::default())?;
//! assert_eq!(listed.projects.len(), 1);
//! node.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod app;
mod commands;
pub mod environment;
mod error;
mod exit;
#[cfg(feature = "failpoints")]
mod failpoints;
mod hint;
pub mod node;
pub mod operations;
mod output;
mod progress;
pub mod protocol;
mod signals;
mod trace;

pub use app::main;
pub use node::Node;
