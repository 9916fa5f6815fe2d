//! `rig daemon`: a leader that stays.

mod command;
mod run;
mod start;
mod status;
mod stop;
mod unit;

pub(crate) use command::Command;
