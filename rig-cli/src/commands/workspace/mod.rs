mod archive;
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
mod show;
mod sync;

use clap::Subcommand;

pub(super) use finish::cleaned_up;

use super::Ended;
use crate::app::Cli;

#[derive(Subcommand)]
pub(crate) enum Command {
    Create(create::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Path(path::Arguments),
    Rename(rename::Arguments),
    Move(reorder::Arguments),
    Archive(archive::Arguments),
    Retry(retry::Arguments),
    Sync(sync::Arguments),
    RestoreWork(restore_work::Arguments),
}

impl Command {
    /// Whether it only looks a row up, and has no time to look for more.
    pub(super) fn is_quick(&self) -> bool {
        matches!(self, Self::Path(_))
    }

    pub(super) fn run(&self, cli: &Cli) -> Ended {
        match self {
            Self::Create(arguments) => arguments.run(cli),
            Self::List(arguments) => arguments.run(cli),
            Self::Show(arguments) => arguments.run(cli),
            Self::Path(arguments) => arguments.run(cli),
            Self::Rename(arguments) => arguments.run(cli),
            Self::Move(arguments) => arguments.run(cli),
            Self::Archive(arguments) => arguments.run(cli),
            Self::Retry(arguments) => arguments.run(cli),
            Self::Sync(arguments) => arguments.run(cli),
            Self::RestoreWork(arguments) => arguments.run(cli),
        }
    }
}
