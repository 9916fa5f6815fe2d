use std::ffi::OsString;

use rig_core::workspace::Status;

use super::find::find;
use super::finish::interrupted;
use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::{AwaitBranch, RenameWorkspace};
use crate::output::Quiet;

/// Rename a workspace; its branch follows, its folder stays
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig workspace rename . \"Retry budget\"")]
pub(crate) struct Arguments {
    /// Its ID, storage key, name or path; `.` is the one around the working folder
    #[arg(value_name = "WS")]
    workspace: OsString,
    /// The new name; a taken one gets a number
    name: String,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let workspace_id = find(cli, &self.workspace)?.id;
        let node = cli.patient_node()?;
        let name = self.name.clone();
        let mut renamed =
            node.call(RenameWorkspace { workspace_id, name, expected_version: None })?;
        // While it is being made its branch follows when that is done.
        if matches!(renamed.status, Status::Ready | Status::Failed) {
            let wanted = renamed.branch;
            let followed = node.call(AwaitBranch { workspace_id });
            renamed = followed.map_err(|error| interrupted(cli, error, workspace_id))?;
            if renamed.branch != wanted {
                let branch = &renamed.branch;
                cli.output.warn(&format!("the branch stays {branch:?}: `rig events` says why"));
            }
        }
        cli.output.show(&Quiet(renamed))?;
        Ok(Exit::Done)
    }
}
