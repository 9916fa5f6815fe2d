use rig_core::id::ProjectId;
use rig_core::project::{Folder, Project};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::PathReply;
use super::workspace_reply::WorkspaceReply;

/// A project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectReply {
    /// Its ID.
    #[schemars(with = "String")]
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// The name of the folder that its workspaces lie in, below the workspaces root.
    pub storage_key: String,
    /// Its own folder.
    #[serde(flatten)]
    pub path: PathReply,
    /// Whether the folder is there: `present`, `missing` or `unknown`.
    #[schemars(with = "String")]
    pub folder_state: Folder,
    /// The branch its work comes back to.
    pub trunk: Option<String>,
    /// Whether it can have workspaces: `supported`, `unsupported` or `unknown`.
    pub worktree_support: String,
    /// Why not, unless it is supported.
    pub reason: Option<String>,
    /// Whether it is archived.
    pub archived: bool,
    /// Grows with every change.
    pub version: u64,
    /// The version that the last edit made.
    pub user_version: u64,
    /// Whether the caller's working folder is in it, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<bool>,
}

/// Projects in order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Projects {
    /// The projects.
    pub projects: Vec<ProjectReply>,
}

/// A project that was archived.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ArchivedProject {
    /// The project.
    pub project: ProjectReply,
    /// Its workspaces that are now to be cleaned up.
    pub workspaces: Vec<WorkspaceReply>,
}

impl From<Project> for ProjectReply {
    fn from(project: Project) -> Self {
        Self {
            id: project.id,
            name: project.name.as_str().to_owned(),
            storage_key: project.storage_key,
            path: project.path.to_path_buf().into(),
            folder_state: project.folder,
            trunk: project.trunk,
            worktree_support: project.support.word().to_owned(),
            reason: project.support.reason().map(str::to_owned),
            archived: project.archived_at.is_some(),
            version: project.version,
            user_version: project.user_version,
            current: None,
        }
    }
}
