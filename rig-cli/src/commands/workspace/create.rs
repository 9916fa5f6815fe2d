use rig_core::clock::{Clock as _, SystemClock};
use rig_core::id::WorkspaceId;

use super::finish::finish;
use crate::app::Cli;
use crate::commands::{Ended, project, typed_id};
use crate::operations::CreateWorkspace;

/// Create a workspace, wait until it is ready, and print its path
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cd \"$(rig workspace create 'Retry policy rewrite')\"
  rig workspace create \"Fix the 1.2 line\" --base v1.2 --no-wait")]
pub(crate) struct Arguments {
    /// What it is for, in up to 100 characters; it can be renamed later
    name: Option<String>,
    /// The branch, tag or commit to cut it from; the default is the trunk as the remote has it
    #[arg(long, value_name = "REF", allow_hyphen_values = true)]
    base: Option<String>,
    /// The ID it gets, so that a repeated command makes nothing
    #[arg(long)]
    id: Option<String>,
    /// Print the path at once; the workspace is made in the background
    #[arg(long)]
    no_wait: bool,
}

/// An ID made before anything is asked for, so that asking again makes nothing twice.
pub(super) fn fresh_id() -> WorkspaceId {
    WorkspaceId::generate(SystemClock::default().now())
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let id = self.id.as_deref().map(typed_id::<WorkspaceId>).transpose()?;
        let id = Some(id.unwrap_or_else(fresh_id));
        let node = cli.patient_node()?;
        let created = node.call(CreateWorkspace {
            project_id: project::meant(cli)?.id,
            name: self.name.clone(),
            base_ref: self.base.clone(),
            id,
        })?;
        finish(cli, created, !self.no_wait)
    }
}
