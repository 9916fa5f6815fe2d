use std::path::PathBuf;
use std::sync::Arc;

use rig_core::concurrency::Failure;
use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::store::Read;
use rig_core::workspace::Status;
use rig_git::{projects, workspaces};

/// Tells which projects have ready workspaces.
pub(crate) type Ready = Arc<dyn Fn() -> Result<Vec<ReadyProject>, Failure> + Send + Sync>;

/// A project with ready workspaces.
#[derive(Clone, Debug)]
pub(crate) struct ReadyProject {
    pub(crate) id: ProjectId,
    pub(crate) root: PathBuf,
    /// The ready ones, and where they lie.
    pub(crate) workspaces: Vec<(WorkspaceId, PathBuf)>,
}

/// The projects that have ready workspaces.
pub(crate) fn ready(read: &impl Read) -> rig_git::Result<Vec<ReadyProject>> {
    let mut found = Vec::new();
    for project in projects::list(read, true)? {
        let mut listed = workspaces::list(read, project.id, false)?;
        listed.retain(|workspace| workspace.status == Status::Ready);
        let workspaces =
            listed.into_iter().map(|row| (row.id, row.path.to_path_buf())).collect::<Vec<_>>();
        if !workspaces.is_empty() {
            found.push(ReadyProject {
                id: project.id,
                root: project.path.to_path_buf(),
                workspaces,
            });
        }
    }
    Ok(found)
}
