use std::ffi::OsStr;
use std::path::PathBuf;

use crate::app::Cli;
use crate::error::CliError;
use crate::operations::{FindProject, ProjectReply};

/// The project that a workspace command means; a repository that is no project yet becomes one.
pub(in crate::commands) fn meant(cli: &Cli) -> Result<ProjectReply, CliError> {
    let folder = cli.folder()?.into();
    let project = cli.project.clone().map(Into::into);
    Ok(cli.node()?.call(FindProject { folder, project, register: true })?)
}

/// The project that was asked for by an ID, a folder, a name or a storage key; else that of
/// `--project`; else the one around the working folder.
pub(super) fn asked(cli: &Cli, project: Option<&OsStr>) -> Result<ProjectReply, CliError> {
    let folder = cli.folder()?.into();
    let project = project.or(cli.project.as_deref()).map(Into::into);
    Ok(cli.node()?.call(FindProject { folder, project, register: false })?)
}

/// The folder whose `rig.toml` counts here: the project's, else the working folder.
pub(in crate::commands) fn root(cli: &Cli) -> Result<PathBuf, CliError> {
    match asked(cli, None) {
        Ok(project) => Ok(project.path.as_path().to_owned()),
        Err(CliError::Told(told))
            if cli.project.is_none()
                && matches!(told.code.as_str(), "project_not_found" | "no_leader") =>
        {
            cli.folder()
        }
        Err(error) => Err(error),
    }
}
