//! `rig workspace`: its commands, a file for each.

mod archive;
mod command;
mod create;
mod find;
mod finish;
mod list;
mod lost;
mod path;
mod rename;
mod reorder;
mod restore_work;
mod retry;
mod sessions;
mod show;
mod sync;

pub(super) use command::Command;
pub(super) use finish::cleaned_up;
