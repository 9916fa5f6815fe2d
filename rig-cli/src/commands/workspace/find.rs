use std::ffi::OsStr;

use crate::app::Cli;
use crate::error::CliError;
use crate::operations::{FindWorkspace, FoundWorkspace};

/// The workspace that was asked for.
pub(super) fn find(cli: &Cli, workspace: &OsStr) -> Result<FoundWorkspace, CliError> {
    let request = FindWorkspace {
        workspace: workspace.into(),
        project: cli.project.clone().map(Into::into),
        folder: cli.folder()?.into(),
    };
    Ok(cli.node()?.call(request)?)
}
