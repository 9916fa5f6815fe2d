use std::ffi::OsString;

use rig_core::workspace::{DeleteBranch, Status};

use super::find::find;
use super::finish::{cleaned_up, tell_kept};
use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::ArchiveWorkspace;

/// Archive a workspace for good, and print what its folder held that nothing else does
///
/// What is not committed is saved first, and `rig workspace restore-work` brings it back. The branch
/// stays unless asked otherwise. Ignored files are lost.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig workspace archive \"Retry budget\" --dry-run
  rig workspace archive \"Retry budget\" --delete-branch merged")]
pub(crate) struct Arguments {
    /// Its ID, storage key, name or path; `.` is the one around the working folder
    #[arg(value_name = "WS")]
    workspace: OsString,
    /// Delete its branch too, if it is merged into the remote's trunk, or has no commit of its own
    #[arg(long, value_name = "WHEN")]
    delete_branch: Option<When>,
    /// Only print what would be lost
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum When {
    Merged,
    Empty,
}

impl From<When> for DeleteBranch {
    fn from(when: When) -> Self {
        match when {
            When::Merged => Self::Merged,
            When::Empty => Self::Empty,
        }
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let workspace_id = find(cli, &self.workspace)?.id;
        let mut archived = cli.patient_node()?.call(ArchiveWorkspace {
            workspace_id,
            delete_branch: self.delete_branch.map(Into::into),
            dry_run: self.dry_run,
            expected_version: None,
        })?;
        if archived.workspace.status == Status::Archiving {
            archived = cleaned_up(cli, workspace_id)?;
        } else {
            tell_kept(cli, &archived);
        }
        cli.output.show(&archived)?;
        Ok(Exit::Done)
    }
}
