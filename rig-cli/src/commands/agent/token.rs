use rig_core::token::Token;

use super::identity::Identity;
use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::AgentToken;

/// Give an agent a new token in place of all it has, and print what makes a process act as it
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  eval \"$(rig agent token agt_5xq2m0c4v8b1n7k3j6h9g2f4d0)\"")]
pub(crate) struct Arguments {
    /// The agent; without it the calling one
    #[arg(value_name = "ID")]
    agent: Option<String>,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let token = Token::generate();
        let request = AgentToken { agent_id: self.agent.clone(), token_digest: token.digest() };
        let agent = cli.node()?.call(request)?;
        cli.output.show(&Identity::new(agent, &token))?;
        Ok(Exit::Done)
    }
}
