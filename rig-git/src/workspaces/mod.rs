//! Workspaces: a worktree for each task, from reservation to archive.

use std::path::Path;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::project::Folder;
use rig_core::store::{Read, Transact};
use rig_core::workspace::{DeleteBranch, Workspace};

use crate::archive::Lost;
use crate::error::Result;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::sync::SyncReport;

/// What to create.
#[derive(Clone, Debug)]
pub struct NewWorkspace {
    /// The project to cut it from.
    pub project: ProjectId,
    /// Its ID, made by the caller so that a repeated call makes nothing; else one is made.
    pub id: Option<WorkspaceId>,
    /// Its name as typed; without one it gets a placeholder.
    pub name: Option<String>,
    /// What to cut it from; the default is the trunk as the remote has it.
    pub base: Option<String>,
    /// Who creates it, and owns it.
    pub caller: Caller,
}

/// What is seen of a workspace in its folder right now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The branch that HEAD is on; none if detached or not readable.
    pub current_branch: Option<String>,
    /// Whether HEAD is detached.
    pub detached: bool,
    /// Whether the folder is there.
    pub folder: Folder,
}

/// Checks and reserves: the row is `initializing`, its name, branch and path are chosen, and
/// [`materialize`] is due. The same ID again answers with the row as it stands.
///
/// # Errors
///
/// `ProjectNotFound`, `BadName`, `BaseRefInvalid`, `BaseNotFound`, `NotAGitProject`, `NoCommits`,
/// `IdConflict`, `BranchConflict`, `WorkspacesRootInvalid`, `Config`, and what reading the
/// repository fails with. Nothing is reserved then.
pub fn create(
    store: &impl Transact,
    machine: &Machine,
    new: NewWorkspace,
    cancel: &Cancel,
) -> Result<Workspace> {
    let _ = (store, machine, new, cancel);
    todo!()
}

/// Carries an `initializing` workspace on until it is ready or failed, and answers with the row as
/// it then is. Does nothing in any other status. Takes the lock of the workspace, so of several at
/// once one works and the others wait.
///
/// # Errors
///
/// `WorkspaceNotFound`, `Cancelled` (the row stays `initializing`), the store's. A step that fails is no error
/// here: the row is `failed` then.
pub fn materialize(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    progress: &mut dyn FnMut(Progress<'_>),
    cancel: &Cancel,
) -> Result<Workspace> {
    let _ = (store, machine, id, progress, cancel);
    todo!()
}

/// Puts a failed workspace back to `initializing`, for [`materialize`] to carry on. On
/// `initializing` and `ready` it does nothing.
///
/// # Errors
///
/// `WorkspaceNotFound`, `NotOwner`, `WorkspaceNotReady` (archiving, archived), `VersionConflict`.
pub fn retry(store: &impl Transact, id: WorkspaceId, caller: Caller) -> Result<Workspace> {
    let _ = (store, id, caller);
    todo!()
}

/// Renames a workspace; its branch is to follow, by [`move_branch`].
///
/// # Errors
///
/// `WorkspaceNotFound`, `BadName`, `NotOwner`, `NamedByPerson`, `WorkspaceNotReady` (archiving,
/// archived), `VersionConflict`.
pub fn rename(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    name: &str,
    caller: Caller,
    expected: Option<u64>,
) -> Result<Workspace> {
    let _ = (store, machine, id, name, caller, expected);
    todo!()
}

/// Lets git's branch follow the last rename, or gives the record back the branch that git has.
///
/// # Errors
///
/// `WorkspaceNotFound`, `Cancelled`, the store's. That git refuses is no error: the branch is kept.
pub fn move_branch(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    cancel: &Cancel,
) -> Result<Workspace> {
    let _ = (store, machine, id, cancel);
    todo!()
}

/// Puts a workspace first in its project's list, or after another one.
///
/// # Errors
///
/// `WorkspaceNotFound`, `VersionConflict`.
pub fn reorder(
    store: &impl Transact,
    id: WorkspaceId,
    after: Option<WorkspaceId>,
    expected: Option<u64>,
) -> Result<Workspace> {
    let _ = (store, id, after, expected);
    todo!()
}

/// Archives a workspace: immediate and for good. [`clean_up`] is due. Repeated, it changes nothing.
///
/// # Errors
///
/// `WorkspaceNotFound`, `NotOwner`, `VersionConflict`.
pub fn archive(
    store: &impl Transact,
    id: WorkspaceId,
    delete_branch: Option<DeleteBranch>,
    caller: Caller,
    expected: Option<u64>,
) -> Result<Workspace> {
    let _ = (store, id, delete_branch, caller, expected);
    todo!()
}

/// What archiving the workspace would lose.
///
/// # Errors
///
/// `WorkspaceNotFound`, and what reading the worktree fails with.
pub fn would_lose(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    cancel: &Cancel,
) -> Result<Lost> {
    let _ = (store, machine, id, cancel);
    todo!()
}

/// Cleans up an `archiving` workspace: saves its work, removes its folder, ends it as `archived`.
/// Does nothing in any other status. Answers with the row and the report.
///
/// # Errors
///
/// `WorkspaceNotFound`, `Cancelled`, the store's. A cleanup that fails is no error: the row ends archived, and
/// `kept` says why the folder stayed.
pub fn clean_up(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    cancel: &Cancel,
) -> Result<Cleaned> {
    let _ = (store, machine, id, cancel);
    todo!()
}

/// How cleaning up ended.
#[derive(Clone, Debug)]
pub struct Cleaned {
    /// The row as it now is.
    pub workspace: Workspace,
    /// What the folder held, if it could be read.
    pub lost: Option<Lost>,
    /// Why the folder was kept, if it was.
    pub kept: Option<String>,
    /// Why the branch was kept, if its deletion was asked for.
    pub branch_kept: Option<String>,
}

/// Reserves a new workspace at the HEAD that `id` was archived with; [`materialize`] lays the saved
/// work over it.
///
/// # Errors
///
/// `WorkspaceNotFound`, `NothingSaved`, and as [`create`].
pub fn restore_work(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    name: Option<String>,
    caller: Caller,
    cancel: &Cancel,
) -> Result<Workspace> {
    let _ = (store, machine, id, name, caller, cancel);
    todo!()
}

/// Copies the sync files of a ready workspace now.
///
/// # Errors
///
/// `WorkspaceNotReady`, `WorkspaceFolderMissing`, `Config`, `SyncPathInvalid`.
pub fn sync(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    dry_run: bool,
    cancel: &Cancel,
) -> Result<SyncReport> {
    let _ = (store, machine, id, dry_run, cancel);
    todo!()
}

/// The workspace of this ID.
///
/// # Errors
///
/// `WorkspaceNotFound`.
pub fn get(reader: &impl Read, id: WorkspaceId) -> Result<Workspace> {
    let _ = (reader, id);
    todo!()
}

/// The workspace that `asked` means: an ID, a storage key, a name, a path, or `.`, the deepest workspace
/// around `folder` (absolute). Keys and names are those of `project`; active rows win over archived
/// ones.
///
/// # Errors
///
/// `WorkspaceNotFound`, `Ambiguous`.
pub fn find(
    reader: &impl Read,
    project: Option<ProjectId>,
    asked: &std::ffi::OsStr,
    folder: &Path,
) -> Result<Workspace> {
    let _ = (reader, project, asked, folder);
    todo!()
}

/// The workspaces of a project in order; archived ones too, last, if `all`.
///
/// # Errors
///
/// If the store failed.
pub fn list(reader: &impl Read, project: ProjectId, all: bool) -> Result<Vec<Workspace>> {
    let _ = (reader, project, all);
    todo!()
}

/// All rows that work is due for: `archiving` ones first, then `initializing` ones.
///
/// # Errors
///
/// If the store failed.
pub fn pending(reader: &impl Read) -> Result<Vec<Workspace>> {
    let _ = reader;
    todo!()
}

/// Looks at the folders of workspaces of one project, in their order.
pub fn look(machine: &Machine, workspaces: &[Workspace]) -> Vec<Look> {
    let _ = (machine, workspaces);
    todo!()
}
