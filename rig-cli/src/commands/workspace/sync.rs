use std::ffi::OsString;

use rig_core::id::WorkspaceId;
use rig_core::workspace::Status;

use super::find::find;
use crate::app::Cli;
use crate::commands::{Ended, project};
use crate::error::CliError;
use crate::exit::Exit;
use crate::operations::{ListWorkspaces, SyncWorkspace, SyncedPath, SyncedWorkspace};
use crate::output::{Page, Show};

/// Copy the files of `workspace.sync` from the project into its workspaces now
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig workspace sync --dry-run
  rig workspace sync \"Retry budget\"")]
pub(crate) struct Arguments {
    /// The ID, storage key, name or path of one; the one around the working folder without it, and
    /// all that are ready outside of any
    #[arg(value_name = "WS")]
    workspace: Option<OsString>,
    /// Only print what would be done
    #[arg(long)]
    dry_run: bool,
}

impl Show for SyncedWorkspace {
    fn show(&self, page: &mut Page) {
        let row = |synced: &SyncedPath| {
            let path = synced.path.as_path().display().to_string();
            let reason = synced.reason.clone().unwrap_or_default();
            [synced.workspace_id.to_string(), path, synced.outcome.clone(), reason]
        };
        page.table(
            ["WORKSPACE", "PATH", "OUTCOME", "REASON"],
            self.paths.iter().map(row).collect(),
        );
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let node = cli.patient_node()?;
        let mut all = SyncedWorkspace { paths: Vec::new() };
        for workspace_id in self.meant(cli)? {
            let request = SyncWorkspace { workspace_id, dry_run: self.dry_run };
            all.paths.extend(node.call(request)?.paths);
        }
        let failed = all.paths.iter().any(|path| path.outcome == "failed");
        cli.output.show(&all)?;
        Ok(if failed { Exit::Failed } else { Exit::Done })
    }

    fn meant(&self, cli: &Cli) -> Result<Vec<WorkspaceId>, CliError> {
        if let Some(workspace) = &self.workspace {
            return Ok(vec![find(cli, workspace)?.id]);
        }
        match find(cli, ".".as_ref()) {
            Ok(found) => return Ok(vec![found.id]),
            Err(CliError::Told(told)) if told.code == "workspace_not_found" => {}
            Err(error) => return Err(error),
        }
        let request = ListWorkspaces { project_id: project::meant(cli)?.id, all: false };
        let listed = cli.node()?.call(request)?.workspaces;
        let ready = listed.into_iter().filter(|workspace| workspace.status == Status::Ready);
        Ok(ready.map(|workspace| workspace.id).collect())
    }
}
