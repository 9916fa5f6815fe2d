use std::ffi::OsString;

use super::find::find;
use super::finish::finish;
use crate::app::Cli;
use crate::commands::Ended;
use crate::operations::RetryWorkspace;

/// Try a failed workspace again, wait until it is ready, and print its path
///
/// It goes on from what is there. A workspace that was being made when its `rig` was interrupted is
/// carried on as well.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Its ID, storage key, name or path; `.` is the one around the working folder
    #[arg(value_name = "WS")]
    workspace: OsString,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let workspace_id = find(cli, &self.workspace)?.id;
        let retried = cli.patient_node()?.call(RetryWorkspace { workspace_id })?;
        finish(cli, retried, true)
    }
}
