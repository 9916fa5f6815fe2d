//! `rig project`: its commands, a file for each.

mod add;
mod archive;
mod command;
mod list;
mod meant;
mod rename;
mod reorder;
mod show;

pub(super) use command::Command;
pub(super) use meant::{meant, root};
pub(super) use show::word;

use super::Ended;
