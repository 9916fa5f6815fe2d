mod add;
mod archive;
mod list;
mod meant;
mod rename;
mod reorder;
mod show;

use clap::Subcommand;

pub(super) use meant::{meant, root};
pub(super) use show::word;

use super::Ended;
use crate::app::Cli;

#[derive(Subcommand)]
pub(crate) enum Command {
    Add(add::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Rename(rename::Arguments),
    Move(reorder::Arguments),
    Archive(archive::Arguments),
}

impl Command {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        match self {
            Self::Add(arguments) => arguments.run(cli),
            Self::List(arguments) => arguments.run(cli),
            Self::Show(arguments) => arguments.run(cli),
            Self::Rename(arguments) => arguments.run(cli),
            Self::Move(arguments) => arguments.run(cli),
            Self::Archive(arguments) => arguments.run(cli),
        }
    }
}
