mod ack;
mod archive;
mod command;
mod identity;
mod info;
mod me;
mod new;
mod receive;
mod send;
mod title;
mod token;
mod tree;

pub(super) use command::Command;
pub(super) use tree::status;
