use std::ffi::OsString;

use super::create::fresh_id;
use super::find::find;
use super::finish::finish;
use crate::app::Cli;
use crate::commands::Ended;
use crate::operations::RestoreWork;

/// Create a workspace with the uncommitted work that was saved when another one was archived
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cd \"$(rig workspace restore-work 'Retry budget')\"
  rig workspace restore-work \"Retry budget\" --name \"Retry budget, again\"")]
pub(crate) struct Arguments {
    /// The archived one's ID, storage key, name or path
    #[arg(value_name = "WS")]
    workspace: OsString,
    /// The new one's name; that of the archived one, with a number, without it
    #[arg(long)]
    name: Option<String>,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let workspace_id = find(cli, &self.workspace)?.id;
        let id = Some(fresh_id());
        let request = RestoreWork { workspace_id, name: self.name.clone(), id };
        let restored = cli.patient_node()?.call(request)?;
        finish(cli, restored, true)
    }
}
