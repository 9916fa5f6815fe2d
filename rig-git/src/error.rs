//! Why something was refused, or failed.

use std::path::PathBuf;

use rig_core::project::Project;
use rig_core::workspace::Workspace;
use rig_core::{id, name, store};

/// What rig-git's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The row that an edit was refused for.
#[derive(Clone, Debug)]
pub enum Row {
    /// A project.
    Project(Box<Project>),
    /// A workspace.
    Workspace(Box<Workspace>),
}

/// Why something about a project or a workspace was refused, or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A path that must be absolute is not: `path_not_absolute`.
    #[error("{} is not an absolute path", path.display())]
    PathNotAbsolute {
        /// The path.
        path: PathBuf,
    },
    /// There is nothing at a path: `path_missing`.
    #[error("there is nothing at {}", path.display())]
    PathMissing {
        /// The path.
        path: PathBuf,
    },
    /// A path that must be a folder is something else: `not_a_directory`.
    #[error("{} is not a folder", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// A path cannot be looked at: `path_inaccessible`.
    #[error("cannot look at {}", path.display())]
    PathInaccessible {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The folder is no Git repository that can have workspaces: `not_a_git_project`.
    #[error("Managed workspaces require a Git repository project.")]
    NotAGitProject {
        /// What was found instead, such as that the repository is bare, and what to do.
        found: String,
    },
    /// The repository has no commit at all: `no_commits`.
    #[error("the repository at {} has no commit yet: make a first one", path.display())]
    NoCommits {
        /// The repository.
        path: PathBuf,
    },
    /// git does not trust the repository, since somebody else owns it: `repository_not_trusted`.
    #[error("the repository at {} belongs to {owner}: if you trust it, add it to git's safe.directory", path.display())]
    RepositoryNotTrusted {
        /// The repository.
        path: PathBuf,
        /// Who owns it.
        owner: String,
    },
    /// git itself refuses the repository's format: `repository_format`.
    #[error("git cannot read the repository at {}: {extension}", path.display())]
    RepositoryFormat {
        /// The repository.
        path: PathBuf,
        /// The extension or version that is not known.
        extension: String,
    },
    /// Neither ID nor folder of a known project: `project_not_found`.
    #[error("there is no project {asked:?}")]
    ProjectNotFound {
        /// What was asked for.
        asked: String,
    },
    /// No workspace of that ID, key, name or path: `workspace_not_found`.
    #[error("there is no workspace {asked:?}")]
    WorkspaceNotFound {
        /// What was asked for.
        asked: String,
    },
    /// Several workspaces fit: `ambiguous`.
    #[error("{asked:?} fits several workspaces: {}", candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// The IDs and names that fit.
        candidates: Vec<String>,
    },
    /// The path is a managed workspace that is not ready, not a project: `managed_workspace`.
    #[error("the folder is the workspace {name:?}, which is {status}: a workspace is no project")]
    ManagedWorkspace {
        /// The workspace's name.
        name: String,
        /// Its status.
        status: rig_core::workspace::Status,
    },
    /// What is stored under this ID is something else: `id_conflict`.
    #[error("what is stored as {id} has another {field}: stored {stored:?}, given {given:?}")]
    IdConflict {
        /// The ID of what is stored.
        id: String,
        /// What differs, such as `base_ref`.
        field: &'static str,
        /// What is stored.
        stored: String,
        /// What was given.
        given: String,
    },
    /// A text is not an ID: `bad_id`.
    #[error(transparent)]
    BadId(#[from] id::BadId),
    /// A text is not a name: `bad_name`.
    #[error(transparent)]
    BadName(#[from] name::BadName),
    /// A base that no commit can be named by: `base_ref_invalid`.
    #[error("{value:?} cannot be a base: {rule}")]
    BaseRefInvalid {
        /// What was given.
        value: String,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// A base names no commit: `base_not_found`.
    #[error("{base:?} names no commit in {}", project.display())]
    BaseNotFound {
        /// The base.
        base: String,
        /// The project's folder.
        project: PathBuf,
    },
    /// No base was named and there is no default: `no_base`.
    #[error("there is no default base ({found}): name one with --base")]
    NoBase {
        /// What was looked for and not found.
        found: String,
    },
    /// The recorded base commit is gone: `base_lost`.
    #[error("the recorded base commit {commit} is no longer in the repository")]
    BaseLost {
        /// The commit.
        commit: String,
    },
    /// The project's folder is gone: `project_missing`.
    #[error("the project's folder {} is gone", path.display())]
    ProjectMissing {
        /// The folder.
        path: PathBuf,
    },
    /// The branch cannot be made: `branch_conflict`.
    #[error("the branch {branch:?} is in the way: {why}")]
    BranchConflict {
        /// The branch in the way.
        branch: String,
        /// Why.
        why: String,
    },
    /// The workspaces root cannot be used: `workspaces_root_invalid`.
    #[error("workspaces cannot be kept in {}: {why}", path.display())]
    WorkspacesRootInvalid {
        /// The root.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A configured path would leave the project: `sync_path_invalid`.
    #[error("the sync path {path:?} must stay inside the project: {rule}")]
    SyncPathInvalid {
        /// The path.
        path: String,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// The configuration cannot be read: `bad_config`, and what rig-core says of it.
    #[error(transparent)]
    Config(#[from] rig_core::config::Error),
    /// The row changed since the caller looked: `version_conflict`.
    #[error(
        "{what} changed since version {expected}: it is at version {version} now, last edited at {user_version}"
    )]
    VersionConflict {
        /// The ID of the row.
        what: String,
        /// The version the caller expected.
        expected: u64,
        /// The row's version.
        version: u64,
        /// The version that the last edit made.
        user_version: u64,
        /// The row as it stands.
        row: Row,
    },
    /// The workspace is not in a status that allows this: `workspace_not_ready`.
    #[error("the workspace {:?} is {}{hint}", workspace.name.as_str(), workspace.status)]
    WorkspaceNotReady {
        /// The row as it stands.
        workspace: Box<Workspace>,
        /// What else is worth saying, beginning with a colon; or nothing.
        hint: &'static str,
    },
    /// The folder of a ready workspace is proven gone: `workspace_folder_missing`.
    #[error("the workspace's folder {} is gone", path.display())]
    WorkspaceFolderMissing {
        /// The folder.
        path: PathBuf,
    },
    /// Only the owner or the person may do this: `not_owner`.
    #[error("the workspace {name:?} belongs to another agent: ask its owner or the person")]
    NotOwner {
        /// The workspace's name.
        name: String,
    },
    /// A person gave the name, so only a person changes it: `named_by_person`.
    #[error("the person named it {name:?}: only the person renames it")]
    NamedByPerson {
        /// The name.
        name: String,
    },
    /// A write into a protected place: `protected_path`.
    #[error("{} is protected: change it in the project's own folder", path.display())]
    ProtectedPath {
        /// The path.
        path: PathBuf,
    },
    /// Nothing was saved when the workspace was archived: `nothing_saved`.
    #[error("nothing was saved when the workspace {name:?} was archived: {why}")]
    NothingSaved {
        /// The workspace's name.
        name: String,
        /// Why not.
        why: String,
    },
    /// Another git's lock file stays in the way: `git_locked`.
    #[error("another git is in the way (tried {tries} times): if none is running, {} is left over and can be deleted", lock.display())]
    GitLocked {
        /// The lock file.
        lock: PathBuf,
        /// How often it was tried.
        tries: u32,
    },
    /// There is no git program: `git_not_found`.
    #[error(
        "there is no git program in PATH: install git {} or newer",
        crate::git::Version::OLDEST
    )]
    GitNotFound,
    /// The git program is too old: `git_too_old`.
    #[error("{} is git {found}, and {} or newer is needed", program.display(), crate::git::Version::OLDEST)]
    GitTooOld {
        /// The program.
        program: PathBuf,
        /// Its version.
        found: String,
    },
    /// A git command failed: `git_failed`.
    #[error("git {operation} failed ({status}): {last_lines}")]
    GitFailed {
        /// What git was to do, such as `fetch`.
        operation: String,
        /// How it ended.
        status: String,
        /// The last lines of what it said.
        last_lines: String,
    },
    /// A git command took too long: `git_timed_out`.
    #[error("git {operation} took longer than {limit:?}: {last_lines}")]
    GitTimedOut {
        /// What git was to do.
        operation: String,
        /// The limit.
        limit: std::time::Duration,
        /// The last lines of what it said.
        last_lines: String,
    },
    /// libgit2 failed at a read: `git_failed`.
    #[error("cannot read the repository")]
    Libgit2(#[from] git2::Error),
    /// A step of making the workspace failed, with a code of its own.
    #[error("{message}")]
    Step {
        /// The step's code, such as `path_taken`.
        code: &'static str,
        /// What happened.
        message: String,
    },
    /// A fault of ours, a change of status that is not allowed: `internal`.
    #[error(transparent)]
    IllegalChange(#[from] rig_core::workspace::IllegalChange),
    /// The cancel flag was set: `cancelled`.
    #[error("cancelled")]
    Cancelled,
    /// A lock is taken again by who holds it: `lock_reentry`.
    #[error("the lock {} is taken again by who holds it", lock.display())]
    LockReentry {
        /// The lock file.
        lock: PathBuf,
    },
    /// Reading or writing a file failed: `io_failed`.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// What was being done, such as `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The store failed, with its own code.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Error {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::PathNotAbsolute { .. } => "path_not_absolute",
            Self::PathMissing { .. } => "path_missing",
            Self::NotADirectory { .. } => "not_a_directory",
            Self::PathInaccessible { .. } => "path_inaccessible",
            Self::NotAGitProject { .. } => "not_a_git_project",
            Self::NoCommits { .. } => "no_commits",
            Self::RepositoryNotTrusted { .. } => "repository_not_trusted",
            Self::RepositoryFormat { .. } => "repository_format",
            Self::ProjectNotFound { .. } => "project_not_found",
            Self::WorkspaceNotFound { .. } => "workspace_not_found",
            Self::Ambiguous { .. } => "ambiguous",
            Self::ManagedWorkspace { .. } => "managed_workspace",
            Self::IdConflict { .. } => "id_conflict",
            Self::BadId(_) => "bad_id",
            Self::BadName(_) => "bad_name",
            Self::BaseRefInvalid { .. } => "base_ref_invalid",
            Self::BaseNotFound { .. } => "base_not_found",
            Self::NoBase { .. } => "no_base",
            Self::BaseLost { .. } => "base_lost",
            Self::ProjectMissing { .. } => "project_missing",
            Self::BranchConflict { .. } => "branch_conflict",
            Self::WorkspacesRootInvalid { .. } => "workspaces_root_invalid",
            Self::SyncPathInvalid { .. } => "sync_path_invalid",
            Self::Config(error) => error.code(),
            Self::VersionConflict { .. } => "version_conflict",
            Self::WorkspaceNotReady { .. } => "workspace_not_ready",
            Self::WorkspaceFolderMissing { .. } => "workspace_folder_missing",
            Self::NotOwner { .. } => "not_owner",
            Self::NamedByPerson { .. } => "named_by_person",
            Self::ProtectedPath { .. } => "protected_path",
            Self::NothingSaved { .. } => "nothing_saved",
            Self::GitLocked { .. } => "git_locked",
            Self::GitNotFound => "git_not_found",
            Self::GitTooOld { .. } => "git_too_old",
            Self::GitFailed { .. } | Self::Libgit2(_) => "git_failed",
            Self::GitTimedOut { .. } => "git_timed_out",
            Self::Step { code, .. } => code,
            Self::IllegalChange(_) => "internal",
            Self::Cancelled => "cancelled",
            Self::LockReentry { .. } => "lock_reentry",
            Self::Io { .. } => "io_failed",
            Self::Store(error) => error.code(),
        }
    }
}

/// An error with its causes, in one line, as it is stored.
pub(crate) fn told(error: &Error) -> String {
    let mut text = error.to_string();
    if let Error::NotAGitProject { found } = error {
        text = format!("{text} {found}");
    }
    let mut cause = std::error::Error::source(error);
    while let Some(source) = cause {
        text = format!("{text}: {source}");
        cause = source.source();
    }
    text
}
