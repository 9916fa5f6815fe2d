use std::ffi::OsString;

use super::{Ended, meant};
use crate::app::Cli;
use crate::exit::Exit;
use crate::operations::MoveProject;
use crate::output::Quiet;

/// Put a project first in the list, or behind another one
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig project move \"Web shop\" --first")]
#[command(group = clap::ArgGroup::new("place").required(true))]
pub(crate) struct Arguments {
    /// Its ID, name, storage key or folder; `.` is the project around the working folder
    #[arg(value_name = "PROJECT")]
    project: OsString,
    /// Put it first
    #[arg(long, group = "place")]
    first: bool,
    /// Put it behind this one
    #[arg(long, group = "place", value_name = "PROJECT")]
    after: Option<OsString>,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let project_id = meant::asked(cli, Some(&self.project))?.id;
        let after = match &self.after {
            Some(after) => Some(meant::asked(cli, Some(after))?.id),
            None => None,
        };
        let moved = cli.node()?.call(MoveProject { project_id, after, expected_version: None })?;
        cli.output.show(&Quiet(moved))?;
        Ok(Exit::Done)
    }
}
