use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::AgentAck;
use crate::output::Quiet;

/// Acknowledge all messages up to a number: they never come back
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig agent ack 7")]
pub(crate) struct Arguments {
    /// The number
    #[arg(value_name = "SEQ")]
    seq: u64,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        cli.output.show(&Quiet(cli.node()?.call(AgentAck { seq: self.seq })?))?;
        Ok(Exit::Done)
    }
}
