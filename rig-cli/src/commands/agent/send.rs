use rig_core::clock::{Clock as _, SystemClock};
use rig_core::id::MessageId;

use crate::app::Cli;
use crate::commands::Ended;
use crate::commands::body::BodyArguments;
use crate::commands::call_key::call_key;
use crate::exit::Exit;
use crate::operations::{AgentSend, SentMessage};
use crate::output::{Page, Show};

/// Send a message to an agent
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig agent send agt_5xq2m0c4v8b1n7k3j6h9g2f4d0 'The tests pass'
  rig agent send agt_5xq2m0c4v8b1n7k3j6h9g2f4d0 --file report.md --key report-7")]
pub(crate) struct Arguments {
    /// Whom it is for
    #[arg(value_name = "ID")]
    agent: String,
    #[command(flatten)]
    body: BodyArguments,
    /// A name for this call: made again, it sends no second message
    #[arg(long)]
    key: Option<String>,
    /// Let an agent that you started only read from now on
    #[arg(long, conflicts_with = "restore_mode")]
    read_only: bool,
    /// Give an agent that you started your own mode again
    #[arg(long)]
    restore_mode: bool,
}

impl Show for SentMessage {
    fn show(&self, page: &mut Page) {
        page.line(self.message_id.to_string());
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let id = MessageId::generate(SystemClock::default().now());
        let request = AgentSend {
            agent_id: self.agent.clone(),
            message: self.body.read()?,
            message_id: Some(id.to_string()),
            key: self.key.as_deref().map(call_key).transpose()?,
            read_only: (self.read_only || self.restore_mode).then_some(self.read_only),
        };
        cli.output.show(&cli.node()?.call(request)?)?;
        Ok(Exit::Done)
    }
}
