use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::AgentArchive;
use crate::output::Quiet;

/// Take an agent and everything below it off the lists; mail for them still arrives
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig agent archive agt_5xq2m0c4v8b1n7k3j6h9g2f4d0")]
pub(crate) struct Arguments {
    /// The agent
    #[arg(value_name = "ID")]
    agent: String,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let request = AgentArchive { agent_id: self.agent.clone() };
        cli.output.show(&Quiet(cli.node()?.call(request)?))?;
        Ok(Exit::Done)
    }
}
