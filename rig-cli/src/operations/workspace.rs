use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::path::RawPath;
use rig_core::workspace::DeleteBranch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::PathSchema;

/// Reserves a workspace: its name, branch and path are chosen, and its folder is made after that.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateWorkspace {
    /// The project to cut it from.
    #[schemars(with = "String")]
    pub project_id: ProjectId,
    /// Its name; without one it gets a placeholder.
    #[serde(default)]
    pub name: Option<String>,
    /// The branch, tag or commit to cut it from; the default is the trunk as the remote has it.
    #[serde(default)]
    pub base_ref: Option<String>,
    /// Its ID, made by the caller so that a repeated request makes nothing.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub id: Option<WorkspaceId>,
}

/// Finds the workspace that is meant.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindWorkspace {
    /// An ID, a storage key, a name, a path, or `.` for the one around the working folder.
    #[schemars(with = "PathSchema")]
    pub workspace: RawPath,
    /// The project whose names and keys are meant, by ID or folder. Without it that is the project
    /// around the working folder.
    #[serde(default)]
    #[schemars(with = "Option<PathSchema>")]
    pub project: Option<RawPath>,
    /// The caller's working folder; absolute.
    #[schemars(with = "PathSchema")]
    pub folder: RawPath,
}

/// Shows a workspace as its row and its folder are now.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowWorkspace {
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
}

/// Lists the workspaces of a project in order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListWorkspaces {
    /// The project.
    #[schemars(with = "String")]
    pub project_id: ProjectId,
    /// Whether archived ones are listed too, last.
    #[serde(default)]
    pub all: bool,
}

/// Renames a workspace; a taken name gets a number. Its branch follows after that.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameWorkspace {
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
    /// The name; 1 to 100 characters once trimmed.
    pub name: String,
    /// The version that the caller looked at.
    #[serde(default)]
    pub expected_version: Option<u64>,
}

/// Puts a workspace first in its project's list, or behind another one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveWorkspace {
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
    /// The one it goes behind; without it it goes first.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub after: Option<WorkspaceId>,
    /// The version that the caller looked at.
    #[serde(default)]
    pub expected_version: Option<u64>,
}

/// Archives a workspace for good; its folder is cleaned up after that.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchiveWorkspace {
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
    /// When its branch goes too: `merged`, if it is in the remote's trunk; `empty`, if it has no
    /// commit of its own.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub delete_branch: Option<DeleteBranch>,
    /// Whether only to report what would be lost.
    #[serde(default)]
    pub dry_run: bool,
    /// The version that the caller looked at.
    #[serde(default)]
    pub expected_version: Option<u64>,
}

/// Tries a failed workspace again, from what exists of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryWorkspace {
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
}

/// Reserves a new workspace that gets the work saved when another one was archived.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreWork {
    /// The archived workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
    /// The new one's name; the default is that of the archived one, with a number.
    #[serde(default)]
    pub name: Option<String>,
    /// The new one's ID, made by the caller so that a repeated request makes nothing.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub id: Option<WorkspaceId>,
}
