use std::ffi::OsString;

use super::find::find;
use crate::app::Cli;
use crate::commands::Ended;
use crate::commands::project::word;
use crate::exit::Exit;
use crate::operations::{ShowWorkspace, StepReply, WorkspaceReply};
use crate::output::{Page, Show};

/// Show a workspace: its branch, what it was cut from, the steps of making it
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig workspace show .
  rig --json workspace show \"Retry policy rewrite\"")]
pub(crate) struct Arguments {
    /// Its ID, storage key, name or path; `.` is the one around the working folder
    #[arg(value_name = "WS")]
    workspace: OsString,
}

impl Show for WorkspaceReply {
    fn show(&self, page: &mut Page) {
        let mut details = vec![
            ("name", self.name.clone()),
            ("id", self.id.to_string()),
            ("project", self.project_id.to_string()),
            ("status", self.status.to_string()),
            ("path", self.path.as_path().display().to_string()),
            ("folder", word(&self.folder_state)),
            ("branch", branch(self)),
            ("base", base(self)),
            ("created", self.created_at.to_string()),
        ];
        if let Some(ready) = self.ready_at {
            details.push(("ready", ready.to_string()));
        }
        if let Some(archived) = self.archived_at {
            details.push(("archived", archived.to_string()));
        }
        if let Some(log) = &self.setup_log {
            details.push(("setup log", log.display().to_string()));
        }
        if let Some(error) = &self.error {
            details.push(("error", format!("{}: {}", error.code, error.message)));
        }
        details.extend(self.warnings.iter().map(|warning| ("warning", warning.clone())));
        page.details(&details);
        if !self.steps.is_empty() {
            page.line("");
            let rows = self.steps.iter().map(step).collect();
            page.table(["STEP", "OUTCOME", "TOOK", "DETAIL"], rows);
        }
    }
}

fn branch(workspace: &WorkspaceReply) -> String {
    let recorded = &workspace.branch;
    match &workspace.current_branch {
        Some(current) if current != recorded => format!("{recorded} (checked out: {current})"),
        None if workspace.detached => format!("{recorded} (HEAD is detached)"),
        _ => recorded.clone(),
    }
}

fn base(workspace: &WorkspaceReply) -> String {
    let base = &workspace.base;
    let named = base.reference.as_ref().or(base.requested.as_ref());
    let text = match (named, &base.commit) {
        (Some(named), Some(commit)) => format!("{named} at {commit}"),
        (Some(text), None) | (None, Some(text)) => text.clone(),
        (None, None) => "the trunk".to_owned(),
    };
    if base.stale { format!("{text}, as fetched earlier") } else { text }
}

fn step(step: &StepReply) -> [String; 4] {
    let name = word(&step.step);
    let name = step.index.map_or(name.clone(), |index| format!("{name} {index}"));
    let took = format!("{} ms", step.duration_ms);
    [name, word(&step.outcome), took, step.detail.clone().unwrap_or_default()]
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let workspace_id = find(cli, &self.workspace)?.id;
        cli.output.show(&cli.node()?.call(ShowWorkspace { workspace_id })?)?;
        Ok(Exit::Done)
    }
}
