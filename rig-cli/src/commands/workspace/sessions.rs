use std::ffi::OsString;

use super::find::find;
use crate::app::Cli;
use crate::commands::{Ended, agent, project};
use crate::exit::Exit;
use crate::operations::{ListWorkspaceSessions, SessionReply, Sessions};
use crate::output::{Page, Show};

/// List conversations, the most recently active first: all, those of `--project`, or of a workspace
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig workspace sessions
  rig --json workspace sessions .")]
pub(crate) struct Arguments {
    /// Those of this workspace only, by its ID, storage key, name or path
    #[arg(value_name = "WS")]
    workspace: Option<OsString>,
}

impl Show for Sessions {
    fn show(&self, page: &mut Page) {
        let row = |session: &SessionReply| {
            [
                session.title.clone().unwrap_or_else(|| "(no title)".to_owned()),
                agent::status(&session.status),
                session.updated_at.to_string(),
                session.id.to_string(),
                session.agent_id.to_string(),
            ]
        };
        let rows = self.sessions.iter().map(row).collect();
        page.table(["TITLE", "STATUS", "ACTIVE", "SESSION", "AGENT"], rows);
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let workspace_id = match &self.workspace {
            Some(workspace) => Some(find(cli, workspace)?.id),
            None => None,
        };
        let project_id = match (&cli.project, workspace_id) {
            (Some(_), None) => Some(project::meant(cli)?.id),
            _ => None,
        };
        let request = ListWorkspaceSessions { project_id, workspace_id };
        cli.output.show(&cli.node()?.call(request)?)?;
        Ok(Exit::Done)
    }
}
