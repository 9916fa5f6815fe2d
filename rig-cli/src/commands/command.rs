use clap::Subcommand;

use super::{completions, config, events, manual, project, schema, store, work, workspace};
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
    Completions(completions::Arguments),
    Man(manual::Arguments),
    Schema(schema::Arguments),
    /// Do the work that is due, and end
    #[command(name = crate::node::WORKER, hide = true)]
    Work,
}

impl Command {
    /// Whether this is the background process that no person starts.
    pub(crate) fn is_worker(&self) -> bool {
        matches!(self, Self::Work)
    }

    pub(crate) fn run(&self, cli: &Cli) -> Ended {
        match self {
            Self::Project(command) => leaving_work(cli, command.run(cli)),
            Self::Workspace(command) if command.is_quick() => command.run(cli),
            Self::Workspace(command) => leaving_work(cli, command.run(cli)),
            Self::Events(arguments) => arguments.run(cli),
            Self::Config(command) => command.run(cli),
            Self::Store(command) => command.run(cli),
            Self::Completions(arguments) => arguments.run(cli),
            Self::Man(arguments) => arguments.run(cli),
            Self::Schema(arguments) => arguments.run(cli),
            Self::Work => work::run(cli),
        }
    }
}

/// Sees to it, before a command ends, that somebody goes on with the work that is due.
fn leaving_work(cli: &Cli, ended: Ended) -> Ended {
    let leaves = match &ended {
        Ok(_) => true,
        // Another error may be the store's, which would only be met again.
        Err(error) => error.is_cancelled(),
    };
    if let Some(node) = cli.opened_node().filter(|_| leaves)
        && let Err(error) = node.leave_work()
    {
        cli.output.warn(&format!("nobody goes on with the work that is due: {error}"));
    }
    ended
}
