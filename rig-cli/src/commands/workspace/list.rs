use rig_core::clock::{Clock as _, SystemClock};
use rig_core::time::Timestamp;

use crate::app::Cli;
use crate::commands::{Ended, project};
use crate::exit::Exit;
use crate::operations::{ListWorkspaces, WorkspaceReply, Workspaces};
use crate::output::{Page, Show};

/// List the workspaces of a project
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig workspace list
  rig --json workspace list --all")]
pub(crate) struct Arguments {
    /// List archived ones too
    #[arg(long)]
    all: bool,
}

impl Show for Workspaces {
    fn show(&self, page: &mut Page) {
        let now = SystemClock::default().now();
        let rows = self.workspaces.iter().map(|workspace| row(workspace, now)).collect();
        page.table(["NAME", "STATUS", "BRANCH", "AGE", "PATH"], rows);
    }
}

fn row(workspace: &WorkspaceReply, now: Timestamp) -> [String; 5] {
    let branch = workspace.current_branch.as_ref().unwrap_or(&workspace.branch);
    [
        workspace.name.clone(),
        workspace.status.to_string(),
        if workspace.detached { "(detached)".to_owned() } else { branch.clone() },
        age(workspace.created_at, now),
        workspace.path.as_path().display().to_string(),
    ]
}

/// How long ago something was, in its largest unit.
fn age(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(then).as_secs();
    let units = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let fitting = units.into_iter().find(|(length, _)| seconds >= *length);
    fitting.map_or("0s".to_owned(), |(length, unit)| format!("{}{unit}", seconds / length))
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let project_id = project::meant(cli)?.id;
        cli.output.show(&cli.node()?.call(ListWorkspaces { project_id, all: self.all })?)?;
        Ok(Exit::Done)
    }
}
