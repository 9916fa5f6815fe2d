use clap::Subcommand;

use super::{add, archive, list, rename, reorder, show};
use crate::app::Cli;
use crate::commands::Ended;

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
    pub(in crate::commands) fn run(&self, cli: &Cli) -> Ended {
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
