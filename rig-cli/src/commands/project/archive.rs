use std::ffi::OsString;

use super::{Ended, meant};
use crate::app::Cli;
use crate::commands::workspace;
use crate::exit::Exit;
use crate::operations::{ArchiveProject, ArchivedProject};
use crate::output::Quiet;

/// Archive a project with all its workspaces
///
/// What is not committed in a workspace is saved first. The project's own folder is not touched, and
/// `rig project add` brings the project back.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig project archive \"Web shop\"")]
pub(crate) struct Arguments {
    /// Its ID, name, storage key or folder; `.` is the project around the working folder
    #[arg(value_name = "PROJECT")]
    project: OsString,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let project = meant::asked(cli, Some(&self.project))?;
        let request = ArchiveProject { project_id: project.id, expected_version: None };
        let ArchivedProject { project, workspaces: due } = cli.patient_node()?.call(request)?;
        let mut workspaces = Vec::with_capacity(due.len());
        for workspace in due {
            let cleaned = workspace::cleaned_up(cli, workspace.id)?;
            if cleaned.lost.is_some_and(|lost| lost.saved.is_some()) {
                let (id, name) = (cleaned.workspace.id, &cleaned.workspace.name);
                cli.output.note(&format!(
                    "what was not committed in {name:?} is saved: `rig workspace restore-work \
                     {id}` brings it back once the project is added again"
                ));
            }
            workspaces.push(cleaned.workspace);
        }
        cli.output.show(&Quiet(ArchivedProject { project, workspaces }))?;
        Ok(Exit::Done)
    }
}
