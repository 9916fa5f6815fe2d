use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::{ScheduledItem, ShowScheduled};
use crate::output::{Page, Show};

/// Show a scheduled message
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig schedule show sch_01m8nsvd62f67tndkxwnbwbx30")]
pub(crate) struct Arguments {
    /// Its ID
    #[arg(value_name = "ID")]
    id: String,
}

impl Show for ScheduledItem {
    fn show(&self, page: &mut Page) {
        let mut details = vec![
            ("id", self.id.to_string()),
            ("status", self.status.to_string()),
            ("due", self.due_at.to_string()),
            ("from", self.sender.agent().map_or("person".to_owned(), |agent| agent.to_string())),
            ("to", self.target_agent_id.to_string()),
            ("scheduled", self.created_at.to_string()),
        ];
        if let Some(delivered) = self.delivered_at {
            details.push(("delivered", delivered.to_string()));
        }
        if let Some(expires) = self.expires_at {
            details.push(("expires", expires.to_string()));
        }
        if self.attempts > 0 {
            details.push(("attempts", self.attempts.to_string()));
        }
        if let Some(next) = self.next_attempt_at {
            details.push(("next attempt", next.to_string()));
        }
        if let Some(failure) = &self.failure {
            details.push(("failure", format!("{}: {}", failure.code, failure.message)));
        }
        page.details(&details);
        page.line("");
        for line in self.message.lines() {
            page.line(line);
        }
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        cli.output.show(&cli.node()?.call(ShowScheduled { id: self.id.clone() })?)?;
        Ok(Exit::Done)
    }
}
