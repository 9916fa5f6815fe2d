use rig_core::clock::{Clock as _, SystemClock};
use rig_core::id::ScheduleId;

use crate::app::Cli;
use crate::commands::body::BodyArguments;
use crate::commands::{Ended, call_key};
use crate::exit::Exit;
use crate::operations::{ScheduleMessage, Scheduled};
use crate::output::{Page, Show};

/// Send an agent a message later, and print the ID under which it is scheduled
///
/// It is delivered once it is due, by whatever `rig` runs then, even if its sender has stopped.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig schedule send agt_01m8nsvd62f67tndkxwnbwbx30 'Look at the build' --in 8h
  rig schedule send agt_01m8nsvd62f67tndkxwnbwbx30 - --at 2026-08-01T18:30:00Z --expires-after 1d")]
pub(crate) struct Arguments {
    /// The agent; it need not exist yet
    #[arg(value_name = "ID")]
    agent: String,
    #[command(flatten)]
    body: BodyArguments,
    /// How long from now, such as `1h 30m`; 366 days at most
    #[arg(long = "in", value_name = "DUR", allow_hyphen_values = true)]
    delay: Option<String>,
    /// When: RFC 3339, ISO 8601 with an offset, RFC 2822, or a Unix time
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    at: Option<String>,
    /// How long after that it may still be delivered; for ever without it
    #[arg(long, value_name = "DUR", allow_hyphen_values = true)]
    expires_after: Option<String>,
    /// A name for this call: the same command with the same name schedules nothing twice
    #[arg(long, value_name = "K")]
    key: Option<String>,
}

impl Show for Scheduled {
    fn show(&self, page: &mut Page) {
        page.line(self.id.to_string());
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let key = self.key.as_deref().map(call_key).transpose()?;
        // Asked again after a lost answer, an ID or a key meets what was scheduled.
        let id =
            key.is_none().then(|| ScheduleId::generate(SystemClock::default().now()).to_string());
        let scheduled = cli.node()?.call(ScheduleMessage {
            agent_id: self.agent.clone(),
            message: self.body.read()?,
            at: self.at.clone().map(Into::into),
            duration: self.delay.clone(),
            expires_after: self.expires_after.clone(),
            id,
            key,
            ..ScheduleMessage::default()
        })?;
        super::tell_when(cli, &scheduled)?;
        cli.output.show(&scheduled)?;
        Ok(Exit::Done)
    }
}
