use clap::Subcommand;

use super::{
    agent, completions, config, daemon, events, manual, project, schedule, schema, store, wait,
    workspace,
};
use crate::app::Cli;
use crate::error::CliError;
use crate::exit::Exit;

/// How a command ends, or why it did not do what was asked.
pub(super) type Ended = Result<Exit, CliError>;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Folders that workspaces are cut from
    #[command(after_help = "\
Examples:
  rig project add ~/src/shop
  rig project list")]
    #[command(subcommand)]
    Project(project::Command),
    /// Worktrees to work in, each on a branch of its own
    #[command(after_help = "\
Examples:
  cd \"$(rig workspace create 'Retry policy rewrite')\"
  rig workspace list")]
    #[command(subcommand, visible_alias = "ws")]
    Workspace(workspace::Command),
    /// Who agents are, and the mail between them
    #[command(after_help = "\
Examples:
  eval \"$(rig agent new --title 'Retry policy')\"
  rig agent receive --wait 10m --ack")]
    #[command(subcommand)]
    Agent(agent::Command),
    Wait(wait::Arguments),
    /// Messages for later
    #[command(after_help = "\
Examples:
  rig schedule send agt_01m8nsvd62f67tndkxwnbwbx30 'Look at the build' --in 8h
  rig schedule list")]
    #[command(subcommand)]
    Schedule(schedule::Command),
    Events(events::Arguments),
    /// The configuration, merged of all its layers
    #[command(after_help = "\
Examples:
  rig config show
  rig config check")]
    #[command(subcommand)]
    Config(config::Command),
    /// The file that holds all rows and events
    #[command(after_help = "\
Examples:
  rig store check")]
    #[command(subcommand)]
    Store(store::Command),
    /// A leader that stays, so that everything that is due happens in time
    #[command(after_help = "\
Examples:
  rig daemon start
  rig daemon status")]
    #[command(subcommand)]
    Daemon(daemon::Command),
    Completions(completions::Arguments),
    Man(manual::Arguments),
    Schema(schema::Arguments),
}

impl Command {
    /// Whether it does something in somebody's name; else it only tells about the program.
    pub(crate) fn has_caller(&self) -> bool {
        !matches!(self, Self::Completions(_) | Self::Man(_) | Self::Schema(_))
    }

    /// Whether it runs detached, so that its standard error is a log.
    pub(crate) fn is_detached(&self) -> bool {
        matches!(self, Self::Daemon(command) if command.is_detached())
    }

    pub(crate) fn run(&self, cli: &Cli) -> Ended {
        match self {
            Self::Project(command) => command.run(cli),
            Self::Workspace(command) => command.run(cli),
            Self::Agent(command) => command.run(cli),
            Self::Wait(arguments) => arguments.run(cli),
            Self::Schedule(command) => command.run(cli),
            Self::Events(arguments) => arguments.run(cli),
            Self::Config(command) => command.run(cli),
            Self::Store(command) => command.run(cli),
            Self::Daemon(command) => command.run(cli),
            Self::Completions(arguments) => arguments.run(cli),
            Self::Man(arguments) => arguments.run(cli),
            Self::Schema(arguments) => arguments.run(cli),
        }
    }
}
