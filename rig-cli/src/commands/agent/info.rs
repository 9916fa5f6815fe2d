use super::tree::shown_status;
use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::{AgentInfo, AgentInfoReply};
use crate::output::{Page, Show};

/// Ask about an agent by its exact ID; an agent may send to it from then on
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig agent info agt_5xq2m0c4v8b1n7k3j6h9g2f4d0")]
pub(crate) struct Arguments {
    /// The agent
    #[arg(value_name = "ID")]
    agent: String,
}

impl Show for AgentInfoReply {
    fn show(&self, page: &mut Page) {
        page.line(format!("agentId: {}", self.agent_id));
        page.line(format!("title: {}", self.title.as_deref().unwrap_or("none")));
        shown_status(page, &self.status);
        page.line(format!("diskShared: {}", self.disk_shared));
        if let Some(path) = &self.path {
            page.line(format!("path: {}", path.as_path().display()));
        }
        if let Some(notice) = &self.notice {
            page.line(format!("notice: {notice}"));
        }
        let Some(person) = &self.person else { return };
        let kind = match person.kind {
            rig_core::agent::AgentKind::External => "external",
            rig_core::agent::AgentKind::Managed => "managed",
        };
        page.line(format!("kind: {kind}"));
        if let Some(parent) = person.parent_agent_id {
            page.line(format!("parentAgentId: {parent}"));
        }
        page.line(format!("sessionId: {}", person.session_id));
        if let Some(workspace) = person.workspace_id {
            page.line(format!("workspaceId: {workspace}"));
        }
        page.line(format!("unacked: {}", person.unacked));
        page.line(format!("listening: {}", person.listening));
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let info = cli.node()?.call(AgentInfo { agent_id: self.agent.clone() })?;
        cli.output.show(&info.looked_at())?;
        Ok(Exit::Done)
    }
}
