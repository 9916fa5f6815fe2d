use super::tree::shown_status;
use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::{AgentMe, Myself};
use crate::output::{Page, Show};

/// Show which agent is calling
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig agent me")]
pub(crate) struct Arguments {}

impl Show for Myself {
    fn show(&self, page: &mut Page) {
        page.line(format!("agentId: {}", self.agent_id));
        page.line(format!("title: {}", self.title.as_deref().unwrap_or("none")));
        shown_status(page, &self.status);
        page.line(format!("hint: {}", self.hint));
    }
}

impl Arguments {
    #[allow(clippy::unused_self)] // As all commands.
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        cli.output.show(&cli.node()?.call(AgentMe {})?)?;
        Ok(Exit::Done)
    }
}
