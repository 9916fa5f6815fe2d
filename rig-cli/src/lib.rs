//! The `rig` command, and the node that a host can open itself.
//!
//! A command asks for an [operation](operations), and the [node] carries it out: the node keeps the
//! store of this machine's projects and workspaces, and knows the folders and programs to work
//! with. Each operation exists once, as a request and a reply; `rig schema` prints them all.
//!
//! ```
//! use rig_cli::environment::Environment;
//! use rig_cli::node::Node;
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
