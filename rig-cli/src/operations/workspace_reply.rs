use std::path::Path;

use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::path::RawPath;
use rig_core::project::Folder;
use rig_core::time::Timestamp;
use rig_core::workspace::{Base, Outcome, Status, Step, StepName, StoredError, Workspace};
use rig_git::archive::Lost;
use rig_git::workspaces::Look;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lost::LostSchema;
use super::path::{PathReply, PathSchema};

/// A workspace. Who owns it is told to nobody but its owner.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceReply {
    /// Its ID.
    #[schemars(with = "String")]
    pub id: WorkspaceId,
    /// The project it was cut from.
    #[schemars(with = "String")]
    pub project_id: ProjectId,
    /// Its name.
    pub name: String,
    /// Its folder.
    #[serde(flatten)]
    pub path: PathReply,
    /// `initializing`, `ready`, `failed`, `archiving` or `archived`.
    #[schemars(with = "String")]
    pub status: Status,
    /// Whether it is off the list of active ones.
    pub archived: bool,
    /// The last component of its path.
    pub storage_key: String,
    /// Its branch.
    pub branch: String,
    /// The branch that is checked out in it right now.
    pub current_branch: Option<String>,
    /// Whether its HEAD is on no branch.
    pub detached: bool,
    /// Whether its folder is there: `present`, `missing` or `unknown`.
    #[schemars(with = "String")]
    pub folder_state: Folder,
    /// What it was cut from.
    pub base: BaseReply,
    /// The steps of making it that ended.
    pub steps: Vec<StepReply>,
    /// Why it failed.
    pub error: Option<StoredErrorReply>,
    /// What went wrong without stopping anything.
    pub warnings: Vec<String>,
    /// The log of its setup commands, if there is one.
    #[schemars(with = "Option<PathSchema>")]
    pub setup_log: Option<RawPath>,
    /// Grows with every change, steps apart.
    pub version: u64,
    /// The version that the last edit made.
    pub user_version: u64,
    /// When it was reserved.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When it became ready.
    #[schemars(with = "Option<String>")]
    pub ready_at: Option<Timestamp>,
    /// When its archiving was asked for.
    #[schemars(with = "Option<String>")]
    pub archived_at: Option<Timestamp>,
}

/// What a workspace was cut from.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BaseReply {
    /// The base that was asked for; none means the default.
    pub requested: Option<String>,
    /// The ref it became.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The commit it became.
    pub commit: Option<String>,
    /// Whether the remote could not be reached.
    pub stale: bool,
}

/// A step that ended.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepReply {
    /// `fetch`, `resolve`, `checkout`, `verify`, `sync`, `setup` or `ready`.
    #[schemars(with = "String")]
    pub step: StepName,
    /// The number of the setup command, from 1.
    pub index: Option<u32>,
    /// When it began.
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// `done`, `skipped`, `warned` or `failed`.
    #[schemars(with = "String")]
    pub outcome: Outcome,
    /// What is worth telling of it.
    pub detail: Option<String>,
}

/// Why a workspace failed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StoredErrorReply {
    /// The stable code.
    pub code: String,
    /// What happened.
    pub message: String,
}

/// Workspaces in order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Workspaces {
    /// The workspaces.
    pub workspaces: Vec<WorkspaceReply>,
}

/// The workspace that was meant, as its row is; nothing was looked at but the row.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundWorkspace {
    /// Its ID.
    #[schemars(with = "String")]
    pub id: WorkspaceId,
    /// The project it was cut from.
    #[schemars(with = "String")]
    pub project_id: ProjectId,
    /// Its name.
    pub name: String,
    /// Its folder.
    #[serde(flatten)]
    pub path: PathReply,
    /// `initializing`, `ready`, `failed`, `archiving` or `archived`.
    #[schemars(with = "String")]
    pub status: Status,
}

/// A workspace that was archived, or would be.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedWorkspace {
    /// The workspace.
    pub workspace: WorkspaceReply,
    /// What its folder held that nothing else does; none if that could not be told.
    #[schemars(with = "Option<LostSchema>")]
    pub lost: Option<Lost>,
    /// Why its folder was kept, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Why its branch was kept, if it was to be deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_kept: Option<String>,
}

impl WorkspaceReply {
    /// A row, with what was seen in its folder. `state` is where the logs lie; without it none is
    /// looked for.
    #[must_use]
    pub fn new(workspace: Workspace, look: Option<Look>, state: Option<&Path>) -> Self {
        let look =
            look.unwrap_or(Look { current_branch: None, detached: false, folder: Folder::Unknown });
        let log = state.map(|state| rig_git::setup::log_path(state, workspace.id));
        Self {
            id: workspace.id,
            project_id: workspace.project,
            name: workspace.name.as_str().to_owned(),
            path: workspace.path.to_path_buf().into(),
            status: workspace.status,
            archived: workspace.status.is_archived(),
            storage_key: workspace.storage_key,
            branch: workspace.branch,
            current_branch: look.current_branch,
            detached: look.detached,
            folder_state: look.folder,
            base: workspace.base.into(),
            steps: workspace.steps.into_iter().map(Into::into).collect(),
            error: workspace.error.map(Into::into),
            warnings: workspace.warnings,
            setup_log: log.filter(|log| log.exists()).map(Into::into),
            version: workspace.version,
            user_version: workspace.user_version,
            created_at: workspace.created_at,
            ready_at: workspace.ready_at,
            archived_at: workspace.archived_at,
        }
    }
}

impl From<Workspace> for FoundWorkspace {
    fn from(workspace: Workspace) -> Self {
        Self {
            id: workspace.id,
            project_id: workspace.project,
            name: workspace.name.as_str().to_owned(),
            path: workspace.path.to_path_buf().into(),
            status: workspace.status,
        }
    }
}

impl From<Base> for BaseReply {
    fn from(base: Base) -> Self {
        let Base { requested, reference, commit, stale, .. } = base;
        Self { requested, reference, commit, stale }
    }
}

impl From<Step> for StepReply {
    fn from(step: Step) -> Self {
        let Step { step, index, started_at, duration_ms, outcome, detail } = step;
        Self { step, index, started_at, duration_ms, outcome, detail }
    }
}

impl From<StoredError> for StoredErrorReply {
    fn from(StoredError { code, message }: StoredError) -> Self {
        Self { code, message }
    }
}
