use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::{AgentTree, Agents, StatusReply};
use crate::output::{Page, Show};

/// List an agent and everything below it
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig agent tree
  rig agent tree --all")]
pub(crate) struct Arguments {
    /// The agent; without it the calling one, and for the person all trees
    #[arg(value_name = "ID")]
    agent: Option<String>,
    /// List archived ones too
    #[arg(long)]
    all: bool,
}

impl Show for Agents {
    fn show(&self, page: &mut Page) {
        let least = self.agents.iter().map(|agent| agent.depth).min().unwrap_or(0);
        let rows = self.agents.iter().map(|agent| {
            let indent = "  ".repeat(usize::try_from(agent.depth - least).unwrap_or(0));
            let title = agent.title.as_deref().unwrap_or("(no title)");
            [format!("{indent}{title}"), status(&agent.status), agent.agent_id.to_string()]
        });
        page.table(["TITLE", "STATUS", "ID"], rows.collect());
    }
}

/// What an agent does, in a word or two.
pub(in crate::commands) fn status(status: &StatusReply) -> String {
    match &status.waiting {
        Some(waiting) => format!("waiting until {}", waiting.due_at),
        None => status.status.clone(),
    }
}

/// What an agent does, by key and value.
pub(super) fn shown_status(page: &mut Page, status: &StatusReply) {
    page.line(format!("status: {}", status.status));
    if let Some(waiting) = &status.waiting {
        page.line(format!("wait_id: {}", waiting.wait_id));
        page.line(format!("started_at: {}", waiting.started_at));
        page.line(format!("due_at: {}", waiting.due_at));
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let request = AgentTree { agent_id: self.agent.clone(), all: Some(self.all) };
        cli.output.show(&cli.node()?.call(request)?)?;
        Ok(Exit::Done)
    }
}
