use serde::{Deserialize, Serialize};

use crate::id::{AgentId, ProjectId, WorkspaceId};
use crate::name::Name;
use crate::order::OrderKey;
use crate::path::RawPath;
use crate::project::NamedBy;
use crate::time::Timestamp;

/// A workspace as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    /// Its ID.
    pub id: WorkspaceId,
    /// The project it was cut from.
    pub project: ProjectId,
    /// What kind of folder it is.
    pub kind: Kind,
    /// Who made the folder.
    pub origin: Origin,
    /// The agent whose session created it; none means the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<AgentId>,
    /// Its name, unique among those of its project, archived ones included.
    pub name: Name,
    /// Who gave the name; [`NamedBy::Rig`] marks a placeholder.
    pub named_by: NamedBy,
    /// The last component of its path; it never changes.
    pub storage_key: String,
    /// Its branch, without `refs/heads/`: the one it has or, until a rename is carried out, the one
    /// it will have.
    pub branch: String,
    /// Whether the caller named the branch; then no other one is ever chosen.
    #[serde(default)]
    pub branch_given: bool,
    /// The branch the worktree has, where that is not [`Workspace::branch`] yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual_branch: Option<String>,
    /// Where it lies; absolute, stored at the reservation, and what counts from then on.
    pub path: RawPath,
    /// The repository's common folder, as recorded at the reservation.
    pub common_dir: RawPath,
    /// Where it is in its life.
    pub status: Status,
    /// What it was cut from.
    pub base: Base,
    /// How far the checkout has come.
    pub checkout: Checkout,
    /// The steps of the current attempt that ended, in order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// The branch that HEAD was last seen on, once it was seen elsewhere than on the recorded one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<SeenHead>,
    /// Why it failed, while it is failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<StoredError>,
    /// What went wrong without stopping anything.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// How many times it was tried; 1 at first.
    pub attempt: u32,
    /// Grows with every change of what a reply shows, steps apart.
    pub version: u64,
    /// The version that the last edit made.
    pub user_version: u64,
    /// Its place in the list of the project's workspaces.
    pub order: OrderKey,
    /// When it was reserved.
    pub created_at: Timestamp,
    /// When it became ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_at: Option<Timestamp>,
    /// When its archiving was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Timestamp>,
    /// Which branch deletion was asked for with the archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_branch: Option<DeleteBranch>,
    /// Where its uncommitted work was saved when it was archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved: Option<SavedWork>,
    /// The archived workspace whose saved work this one was made to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restores: Option<WorkspaceId>,
}

/// What kind of folder a workspace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A linked Git worktree.
    Worktree,
}

/// Who made a worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Origin {
    /// Rig did.
    Managed,
}

/// Where a workspace is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Reserved; its folder is being made.
    Initializing,
    /// It can be worked in.
    Ready,
    /// A step failed; it can be retried or archived.
    Failed,
    /// Archived for whoever looks; being cleaned up.
    Archiving,
    /// Gone.
    Archived,
}

/// What a workspace is cut from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The base that was asked for, as text; none means the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
    /// The ref it became, in full where it is one.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The commit it became: hexadecimal, in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether the remote could not be reached, so that the commit may be behind it.
    #[serde(default)]
    pub stale: bool,
    /// Whether the step that tells of the commit is done. A commit that was found at the
    /// reservation is the base from then on, and is told of by that step.
    #[serde(default)]
    pub resolved: bool,
}

/// What HEAD of a workspace was seen to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenHead {
    /// The branch; none if detached.
    pub branch: Option<String>,
}

/// How far a checkout has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Checkout {
    /// Nothing was begun: whatever is at the path is not ours, nor is the branch.
    NotStarted,
    /// `git worktree add` was about to start: branch and folder may be there, half made.
    Started,
    /// It is done: what is in the folder is somebody's work from now on.
    Done,
}

/// A step of making a workspace, or one setup command of it, that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Which step.
    pub step: StepName,
    /// The number of the setup command, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// What is worth telling of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The steps of making a workspace, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepName {
    /// Asks the remote for the base's branch.
    Fetch,
    /// The base becomes a commit.
    Resolve,
    /// `git worktree add`.
    Checkout,
    /// Looks whether git made what was asked for.
    Verify,
    /// Copies what git cannot bring.
    Sync,
    /// Runs the project's setup commands.
    Setup,
    /// Done.
    Ready,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did what it is for.
    Done,
    /// There was nothing for it to do.
    Skipped,
    /// It ended with a warning that stops nothing.
    Warned,
    /// It failed, and the workspace with it.
    Failed,
}

/// Why a workspace failed, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredError {
    /// The stable code.
    pub code: String,
    /// The message, at most [`StoredError::MAX_MESSAGE`] characters.
    pub message: String,
}

impl StoredError {
    /// Characters of the longest stored message.
    pub const MAX_MESSAGE: usize = 500;

    /// An error with its message cut to what is stored.
    #[must_use]
    pub fn new(code: &str, message: &str) -> Self {
        let message = message.chars().take(Self::MAX_MESSAGE).collect();
        Self { code: code.to_owned(), message }
    }
}

/// When a branch goes with its archived workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeleteBranch {
    /// If its tip is in `origin/<trunk>`.
    Merged,
    /// If its tip is the base commit.
    Empty,
}

/// Where uncommitted work was saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedWork {
    /// The ref, in full.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The commit it was set to; its first parent is the HEAD the work was done on.
    pub commit: String,
}
