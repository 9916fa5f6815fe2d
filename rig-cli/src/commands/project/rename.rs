use std::ffi::OsString;

use super::{Ended, meant};
use crate::app::Cli;
use crate::exit::Exit;
use crate::operations::RenameProject;
use crate::output::Quiet;

/// Rename a project; a taken name gets a number
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig project rename . \"Web shop\"")]
pub(crate) struct Arguments {
    /// Its ID, name, storage key or folder; `.` is the project around the working folder
    #[arg(value_name = "PROJECT")]
    project: OsString,
    /// The new name
    name: String,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let project = meant::asked(cli, Some(&self.project))?;
        let name = self.name.clone();
        let (project_id, expected_version) = (project.id, None);
        let renamed = cli.node()?.call(RenameProject { project_id, name, expected_version })?;
        cli.output.show(&Quiet(renamed))?;
        Ok(Exit::Done)
    }
}
