//! Nouns and ground rules of Rig: IDs, time, names, the records of projects and workspaces, agents
//! and the mail between them, the configuration, and the store that holds it all.
//!
//! ```
//! use rig_core::id::WorkspaceId;
//! use rig_core::store::{Options, Read as _, Record, Store, Table, Transact as _};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Note {
//!     text: String,
//! }
//!
//! impl Record for Note {}
//!
//! /// The notes on each workspace, in order.
//! const NOTES: Table<(WorkspaceId, u64), Note> = Table::new("example/notes");
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let store = Store::open(&folder.path().join("rig.redb"), Options::default())?;
//!
//! // What belongs together is one operation: both are on disk once it returns, or neither is.
//! let workspace = store.write(|tx| {
//!     let workspace = WorkspaceId::generate(tx.now());
//!     let note = Note { text: "look at the retries first".to_owned() };
//!     tx.put(NOTES, &(workspace, 1), &note)?;
//!     tx.event("note.written", &[&workspace], None, &note)?;
//!     Ok::<_, rig_core::store::Error>(workspace)
//! })?;
//!
//! let notes = store.read(|r| r.beginning_with(NOTES, &workspace))?;
//! assert_eq!(notes[0].1.text, "look at the retries first");
//! # Ok(())
//! # }
//! ```
//!
//! What it guarantees:
//!
//! - What a write returned for is on disk, with its event; what failed left nothing behind.
//! - Records that this build wrote are read by every later one, and those of a later one are read as
//!   far as they are understood, or refused and left alone.
//! - What one agent sends another arrives in that order, once for each message ID, and is handed out
//!   until it is acknowledged.
//! - An ID, a name, an instant that exists is legal: each is checked once, when it is made. Paths are
//!   bytes and are never converted with loss.
//!
//! What it refuses:
//!
//! - To read the environment, the home folder or the clock, to print, or to start threads, the
//!   store's writer apart. Its caller hands in what it needs.
//! - To open a file that another process holds, that a newer build wrote, or that is no store. None
//!   of them is ever replaced.
//! - To guess: a mistyped key of a configuration is an error, and so is a change of a workspace that
//!   its status does not allow.

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods))]

pub mod agent;
mod base32;
pub mod call_key;
pub mod caller;
pub mod cancel;
pub mod clock;
#[cfg(feature = "tokio")]
pub mod concurrency;
pub mod config;
pub mod due;
pub mod failpoint;
pub mod id;
pub mod mail;
pub mod name;
pub mod order;
pub mod path;
pub mod project;
pub mod slug;
pub mod store;
pub mod time;
pub mod token;
mod version;
pub mod workspace;
