//! Nouns and ground rules of Rig.

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods))]

pub mod caller;
pub mod cancel;
pub mod clock;
pub mod config;
pub mod id;
pub mod name;
pub mod order;
pub mod path;
pub mod project;
pub mod slug;
pub mod store;
pub mod time;
pub mod workspace;
