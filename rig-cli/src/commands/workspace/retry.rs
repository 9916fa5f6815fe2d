use std::ffi::OsString;

use rig_core::workspace::Status;

use super::find::find;
use super::finish::finish;
use crate::app::Cli;
use crate::commands::Ended;
use crate::operations::{AwaitBranch, RetryWorkspace};

/// Try a failed workspace again, wait until it is ready, and print its path
///
/// It goes on from what is there. A workspace that was being made when its `rig` was interrupted is
/// carried on as well, and so is a
/// rename.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig workspace retry \"Retry budget\"")]
pub(crate) struct Arguments {
    /// Its ID, storage key, name or path; `.` is the one around the working folder
    #[arg(value_name = "WS")]
    workspace: OsString,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let workspace_id = find(cli, &self.workspace)?.id;
        let node = cli.patient_node()?;
        let mut retried = node.call(RetryWorkspace { workspace_id })?;
        if retried.status == Status::Ready {
            // A rename may have been cut off before the branch followed.
            retried = node.call(AwaitBranch { workspace_id })?;
        }
        finish(cli, retried, true)
    }
}
