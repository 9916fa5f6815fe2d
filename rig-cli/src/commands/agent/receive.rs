use std::time::Duration;

use rig_core::mail::Shown;
use rig_sched::parse;

use crate::app::Cli;
use crate::commands::Ended;
use crate::error::CliError;
use crate::exit::Exit;
use crate::node;
use crate::operations::{AgentAck, AgentFollow, AgentReceive, Mail, OneMessage, TimeOut};
use crate::output::{Page, Show};

/// Read one's own mailbox in order; what is not acknowledged comes again
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig agent receive --ack
  rig agent receive --wait 10m --limit 1
  rig --json agent receive --follow --ack")]
pub(crate) struct Arguments {
    /// Wait so long for a first message, such as `10m`
    #[arg(long, value_name = "DUR", conflicts_with = "follow")]
    wait: Option<String>,
    /// At most so many messages, up to 1000
    #[arg(long, value_name = "N", conflicts_with = "follow")]
    limit: Option<usize>,
    /// Go on with new messages as they come, one JSON object a line with `--json`
    #[arg(long)]
    follow: bool,
    /// Acknowledge what was printed
    #[arg(long)]
    ack: bool,
}

impl Show for Mail {
    fn show(&self, page: &mut Page) {
        for message in &self.messages {
            page.raw(message.framed().as_bytes());
        }
    }
}

impl Show for OneMessage {
    fn show(&self, page: &mut Page) {
        page.raw(self.0.framed().as_bytes());
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        if self.follow {
            return self.follow(cli);
        }
        let wait = self.wait.as_deref().map(|wait| parse::duration(wait, Duration::MAX));
        let wait =
            wait.transpose().map_err(|error| node::Error::from(rig_sched::Error::from(error)))?;
        let node = cli.patient_node()?;
        let timeout_ms = wait.map(TimeOut::of);
        let mail = node.call(AgentReceive { limit: self.limit, timeout_ms })?;
        if mail.messages.is_empty() && wait.is_some() {
            return Ok(Exit::TimedOut);
        }
        cli.output.show(&mail)?;
        if self.ack && !mail.messages.is_empty() {
            node.call(AgentAck { seq: mail.last })?;
        }
        Ok(Exit::Done)
    }

    /// Prints messages as they come, until a signal, or until nobody reads them any more.
    fn follow(&self, cli: &Cli) -> Ended {
        let node = cli.patient_node()?;
        let interrupt = node.interrupt();
        let mut printed: Result<(), CliError> = Ok(());
        let mut print = |message: Shown| {
            let seq = message.seq;
            printed = cli.output.show(&OneMessage(message));
            if printed.is_ok() && self.ack {
                printed = node.call(AgentAck { seq }).map(drop).map_err(CliError::from);
            }
            if printed.is_err() {
                interrupt.set();
            }
            AgentFollow { after: Some(seq) }
        };
        let followed =
            node.follow(AgentFollow::default(), &mut |OneMessage(message)| print(message));
        printed?;
        followed?;
        Ok(Exit::Done)
    }
}
