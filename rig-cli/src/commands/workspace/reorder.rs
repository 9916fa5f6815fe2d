use std::ffi::OsString;

use super::find::find;
use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::MoveWorkspace;
use crate::output::Quiet;

/// Put a workspace first in the list, or behind another one
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig workspace move \"Retry budget\" --first
  rig workspace move \"Retry budget\" --after \"Fix login\"")]
#[command(group = clap::ArgGroup::new("place").required(true))]
pub(crate) struct Arguments {
    /// Its ID, storage key, name or path; `.` is the one around the working folder
    #[arg(value_name = "WS")]
    workspace: OsString,
    /// Put it first
    #[arg(long, group = "place")]
    first: bool,
    /// Put it behind this one
    #[arg(long, group = "place", value_name = "WS")]
    after: Option<OsString>,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let workspace_id = find(cli, &self.workspace)?.id;
        let after = match &self.after {
            Some(after) => Some(find(cli, after)?.id),
            None => None,
        };
        let request = MoveWorkspace { workspace_id, after, expected_version: None };
        cli.output.show(&Quiet(cli.node()?.call(request)?))?;
        Ok(Exit::Done)
    }
}
