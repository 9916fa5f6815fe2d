use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::node::Node;

/// Stop the daemon, and wait until it has gone; nothing it has to do is lost
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig daemon stop")]
pub(crate) struct Arguments {}

impl Arguments {
    #[allow(clippy::unused_self)] // As all commands.
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        if Node::stop_daemon(cli.environment.clone(), cli.hooks())?.is_none() {
            cli.output.note("no daemon is running");
        }
        Ok(Exit::Done)
    }
}
