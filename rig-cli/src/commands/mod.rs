//! The commands: a file for each, with its arguments, whose docs are its help, and a function that
//! asks, shows the answer and chooses how to end.

mod agent;
mod body;
mod call_key;
mod command;
mod completions;
mod config;
mod daemon;
mod doors;
mod events;
mod manual;
mod project;
mod schedule;
mod schema;
mod store;
mod typed_id;
mod wait;
mod workspace;

use call_key::call_key;
pub(crate) use command::Command;
use command::Ended;
use typed_id::typed_id;
