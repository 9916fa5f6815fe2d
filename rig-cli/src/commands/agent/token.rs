use rig_core::token::Token;

use super::identity::Identity;
use crate::app::Cli;
use crate::commands::Ended;
use crate::error::CliError;
use crate::exit::Exit;
use crate::operations::{AgentReply, AgentToken};
use crate::protocol::Failure;

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
        let agent = match cli.node()?.call(request.clone()) {
            Err(failure) if failure.code == "bad_identity" => again(cli, request, &token, failure)?,
            answer => answer?,
        };
        cli.output.show(&Identity::new(agent, &token))?;
        Ok(Exit::Done)
    }
}

/// Asks again with the new token. If the old one counts no more since the first answer was lost with
/// its leader, the new one counts already; else the old one never did.
fn again(
    cli: &Cli,
    request: AgentToken,
    token: &Token,
    refused: Failure,
) -> Result<AgentReply, CliError> {
    let environment = cli.environment.with_token(token);
    cli.node_of(environment)?.call(request).map_err(|_| refused.into())
}
