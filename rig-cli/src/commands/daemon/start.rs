use crate::app::Cli;
use crate::commands::Ended;
use crate::error::CliError;
use crate::exit::Exit;
use crate::node::{self, Detach, Manner, Node, Role};

/// Start a daemon in the background, unless there is one, and wait until it is of use
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig daemon start
  rig daemon start --idle-exit 1h")]
pub(crate) struct Arguments {
    /// End after this long without connections and pending work
    #[arg(long, value_name = "DUR")]
    idle_exit: Option<String>,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        // What makes no sense is told here, and not in a log.
        node::idle_exit(&cli.environment, self.idle_exit.as_deref())?;
        if !is_there(cli)? {
            let node = cli.node_as(Role::Command)?;
            let environment = &cli.environment;
            let idle_exit = self.idle_exit.as_deref();
            Detach { environment, state: node.state(), idle_exit }.start()?;
        }
        Ok(Exit::Done)
    }
}

/// Whether a daemon leads or stands in line.
fn is_there(cli: &Cli) -> Result<bool, CliError> {
    let node = match Node::onlooker(cli.environment.clone(), Manner::LooksOn, cli.hooks()) {
        Ok(node) => node,
        Err(node::Error::NoLeader) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    match node.daemon() {
        Ok(there) => Ok(there),
        // The daemon that is started has an older one leave, or says why it does not.
        Err(failure) if failure.code == "no_leader" || failure.code == "version_skew" => Ok(false),
        Err(failure) => Err(failure.into()),
    }
}
