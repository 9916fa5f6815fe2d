use crate::app::Cli;
use crate::commands::Ended;
use crate::error::CliError;
use crate::exit::Exit;
use crate::operations::{CancelScheduled, ShowScheduled};
use crate::output::Quiet;

/// Cancel a scheduled message that is pending or undelivered
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig schedule cancel sch_01m8nsvd62f67tndkxwnbwbx30")]
pub(crate) struct Arguments {
    /// Its ID
    #[arg(value_name = "ID")]
    id: String,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let node = cli.node()?;
        let reply = node.call(CancelScheduled { id: self.id.clone() })?;
        if reply.cancelled {
            cli.output.show(&Quiet(reply))?;
            return Ok(Exit::Done);
        }
        let since = node.call(ShowScheduled { id: self.id.clone() });
        let since = since.map(|item| format!(" since {}", item.updated_at)).unwrap_or_default();
        let message = format!("{} is {}{since}", reply.id, reply.status);
        let detail = serde_json::to_value(&reply).ok();
        Err(CliError::new("schedule_settled", message).told(|told| told.detail = detail))
    }
}
