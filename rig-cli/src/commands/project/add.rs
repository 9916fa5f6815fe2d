use std::path::PathBuf;

use rig_core::id::ProjectId;

use super::Ended;
use super::show::Added;
use crate::app::Cli;
use crate::commands::typed_id;
use crate::exit::Exit;
use crate::operations::AddProject;

/// Register a folder as a project, or restore one that was archived; prints its ID
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig project add
  rig project add ~/src/shop")]
pub(crate) struct Arguments {
    /// The folder; the working folder without it
    path: Option<PathBuf>,
    /// The ID it gets, so that a repeated command makes nothing
    #[arg(long)]
    id: Option<String>,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let id = self.id.as_deref().map(typed_id::<ProjectId>).transpose()?;
        let folder = cli.folder()?;
        let path = match &self.path {
            Some(path) => folder.join(path),
            None => folder,
        };
        let added = cli.node()?.call(AddProject { path: path.into(), id })?;
        cli.output.show(&Added(added))?;
        Ok(Exit::Done)
    }
}
