use rig_core::id::WorkspaceId;
use rig_git::sync::{self, Synced};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::PathReply;

/// Copies the project's sync files into a workspace now.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SyncWorkspace {
    /// The workspace.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
    /// Whether only to report what would be done.
    #[serde(default)]
    pub dry_run: bool,
}

/// What was done to each path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SyncedWorkspace {
    /// The paths, in the order of the configuration.
    pub paths: Vec<SyncedPath>,
}

/// What was done to one path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncedPath {
    /// The workspace it was done in.
    #[schemars(with = "String")]
    pub workspace_id: WorkspaceId,
    /// The path, relative to the project's root and to the workspace.
    #[serde(flatten)]
    pub path: PathReply,
    /// `copied`, `unchanged`, `skipped` or `failed`.
    pub outcome: String,
    /// Why, where it was skipped or failed.
    pub reason: Option<String>,
}

impl SyncedPath {
    pub(crate) fn new(workspace_id: WorkspaceId, synced: sync::SyncedPath) -> Self {
        let outcome = match synced.outcome {
            Synced::Copied => "copied",
            Synced::Unchanged => "unchanged",
            Synced::Skipped => "skipped",
            Synced::Failed => "failed",
        };
        let (path, reason) = (synced.path.into(), synced.reason);
        Self { workspace_id, path, outcome: outcome.to_owned(), reason }
    }
}
