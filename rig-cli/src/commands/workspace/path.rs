use std::ffi::OsString;
use std::io::ErrorKind;

use rig_core::workspace::Status;

use super::find::find;
use crate::app::Cli;
use crate::commands::Ended;
use crate::error::CliError;
use crate::exit::Exit;
use crate::operations::FoundWorkspace;
use crate::output::{Page, Show};

/// Print the path of a workspace that is ready
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cd \"$(rig workspace path retry-policy-rewrite)\"")]
pub(crate) struct Arguments {
    /// Its ID, storage key, name or path; `.` is the one around the working folder
    #[arg(value_name = "WS")]
    workspace: OsString,
}

impl Show for FoundWorkspace {
    fn show(&self, page: &mut Page) {
        page.path(self.path.as_path());
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let found = find(cli, &self.workspace)?;
        if found.status != Status::Ready {
            return Err(not_ready(&found));
        }
        let path = found.path.as_path();
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let message = format!("the workspace's folder {} is gone", path.display());
                Err(with_row(CliError::new("workspace_folder_missing", message), &found))
            }
            _ => {
                cli.output.show(&found)?;
                Ok(Exit::Done)
            }
        }
    }
}

fn not_ready(found: &FoundWorkspace) -> CliError {
    let (id, name, status) = (found.id, &found.name, found.status);
    let still = if status == Status::Initializing { "still " } else { "" };
    let message = format!("the workspace {name:?} is {still}{status}");
    let error = with_row(CliError::new("workspace_not_ready", message), found);
    match status {
        Status::Initializing => error.hint(format!("`rig workspace retry {id}` waits for it")),
        Status::Failed => error.hint(format!(
            "`rig workspace show {id}` says why, `rig workspace retry {id}` tries again"
        )),
        _ => error,
    }
}

fn with_row(error: CliError, found: &FoundWorkspace) -> CliError {
    error.told(|told| told.detail = serde_json::to_value(found).ok())
}
