use clap::Subcommand;

use super::{run, start, status, stop, unit};
use crate::app::Cli;
use crate::commands::Ended;

#[derive(Subcommand)]
pub(crate) enum Command {
    Run(run::Arguments),
    Start(start::Arguments),
    Stop(stop::Arguments),
    Status(status::Arguments),
    Unit(unit::Arguments),
}

impl Command {
    pub(in crate::commands) fn run(&self, cli: &Cli) -> Ended {
        match self {
            Self::Run(arguments) => arguments.run(cli),
            Self::Start(arguments) => arguments.run(cli),
            Self::Stop(arguments) => arguments.run(cli),
            Self::Status(arguments) => arguments.run(cli),
            Self::Unit(arguments) => arguments.run(cli),
        }
    }

    /// Whether it runs detached, so that its standard error is a log.
    pub(in crate::commands) fn is_detached(&self) -> bool {
        matches!(self, Self::Run(arguments) if arguments.is_detached())
    }
}
