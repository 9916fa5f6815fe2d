use clap::Subcommand;

use super::{
    archive, create, list, path, rename, reorder, restore_work, retry, sessions, show, sync,
};
use crate::app::Cli;
use crate::commands::Ended;

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
    Sessions(sessions::Arguments),
    Sync(sync::Arguments),
    RestoreWork(restore_work::Arguments),
}

impl Command {
    pub(in crate::commands) fn run(&self, cli: &Cli) -> Ended {
        match self {
            Self::Create(arguments) => arguments.run(cli),
            Self::List(arguments) => arguments.run(cli),
            Self::Show(arguments) => arguments.run(cli),
            Self::Path(arguments) => arguments.run(cli),
            Self::Rename(arguments) => arguments.run(cli),
            Self::Move(arguments) => arguments.run(cli),
            Self::Archive(arguments) => arguments.run(cli),
            Self::Retry(arguments) => arguments.run(cli),
            Self::Sessions(arguments) => arguments.run(cli),
            Self::Sync(arguments) => arguments.run(cli),
            Self::RestoreWork(arguments) => arguments.run(cli),
        }
    }
}
