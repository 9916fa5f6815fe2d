use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::AgentTitle;
use crate::output::Quiet;

/// Give an agent a title
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig agent title 'Retry policy'
  rig agent title agt_5xq2m0c4v8b1n7k3j6h9g2f4d0 Reviewer")]
pub(crate) struct Arguments {
    /// The agent, then its title; with a title alone, the calling agent
    #[arg(value_names = ["ID", "TITLE"], num_args = 1..=2, required = true)]
    words: Vec<String>,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let (agent_id, title) = match &*self.words {
            [agent, title] => (Some(agent.clone()), Some(title.clone())),
            words => (None, words.first().cloned()),
        };
        cli.output.show(&Quiet(cli.node()?.call(AgentTitle { agent_id, title })?))?;
        Ok(Exit::Done)
    }
}
