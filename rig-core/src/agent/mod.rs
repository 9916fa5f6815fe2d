//! Agents: who they are, who is above whom, and who may do what.
//!
//! An agent is a record with an ID, a conversation and a [mailbox](crate::mail). It never dies: no
//! state of it closes the mailbox. Whoever knows an agent's ID may write to it, once it has asked
//! about it by that ID; whoever shows one of its tokens is the agent.

mod agents;
mod agree;
mod archive;
mod disks;
mod error;
mod handshake;
mod meant;
mod permission;
mod record;
mod register;
mod rows;
mod sessions;
mod sharing;
mod title;
mod tokens;
mod tree;

pub use agents::Agents;
pub use agree::agree;
pub(crate) use agree::{compare, finding};
pub(crate) use archive::restore;
pub use archive::{Archived, archive};
pub use disks::{Mount, View};
pub use error::{Error, Result};
pub use handshake::{have_shaken_hands, shake_hands};
pub use meant::{acting, meant};
pub use permission::{PERMISSIONS, Who, allow, who_may};
pub use record::{Agent, AgentKind, Relation};
pub use register::{FirstTitle, MAX_DEPTH, NewAgent, Registered, register};
pub use rows::{TABLES, get};
pub use sessions::{Session, SessionFilter, sessions};
pub use sharing::Sharing;
pub use title::{set_title, title};
pub use tokens::{Identity, MAX_TOKENS, add_token, drop_token, replace_tokens};
pub use tree::tree;
