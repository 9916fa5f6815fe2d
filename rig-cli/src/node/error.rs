use std::io;
use std::path::PathBuf;

use rig_core::id::BadId;
use rig_core::{config, mail, store};
use rig_git::error::Row;
use serde_json::Value;

use crate::environment;
use crate::operations::{ProjectReply, WorkspaceReply};
use crate::protocol::Failure;

/// What the node's functions return.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation was refused, or failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// As rig-git says.
    #[error(transparent)]
    Git(#[from] rig_git::Error),
    /// As rig-sched says.
    #[error(transparent)]
    Sched(#[from] rig_sched::Error),
    /// As rig-core says of agents.
    #[error(transparent)]
    Agent(#[from] rig_core::agent::Error),
    /// As mail says.
    #[error(transparent)]
    Mail(#[from] mail::Error),
    /// A text is not an ID: `bad_id`.
    #[error(transparent)]
    BadId(BadId),
    /// As the store says.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// As the configuration says.
    #[error(transparent)]
    Config(#[from] config::Error),
    /// As the environment says.
    #[error(transparent)]
    Environment(#[from] environment::Error),
    /// A resident daemon is required, and there is none: `no_leader`.
    #[error("a resident daemon is required, and none is running")]
    NoLeader,
    /// A daemon leads or stands in line already: `already_running`.
    #[error("a daemon is running already: process {pid}")]
    AlreadyRunning {
        /// Its process.
        pid: u32,
    },
    /// A daemon that was started ended before it was ready: `daemon_not_ready`.
    #[error("the daemon ended before it was ready ({how}){}", told(log))]
    DaemonNotReady {
        /// How it ended.
        how: String,
        /// The last lines of its log.
        log: String,
    },
    /// A daemon cannot be started: `daemon_not_ready`.
    #[error("cannot start a daemon")]
    DaemonNotStarted {
        /// Why not.
        source: io::Error,
    },
    /// The leader says nothing: `leader_silent`.
    #[error(
        "whoever leads{} has said nothing for 30 s; the request may have been carried out, and the \
         same one with the same ID is safe", shown(*pid)
    )]
    LeaderSilent {
        /// The process in the lock file.
        pid: Option<u32>,
    },
    /// The state folder or its lock file cannot be used: `store_failed`.
    #[error("cannot use {}", path.display())]
    State {
        /// What cannot be used.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The folder for the socket cannot be made: `store_failed`.
    #[error("cannot use the folder {} for the socket", path.display())]
    RuntimeFolder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Others could get at the socket: `runtime_folder_unsafe`.
    #[error("the folder {} is not safe for a socket: {why}", path.display())]
    RuntimeFolderUnsafe {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The socket cannot be bound: `store_failed`.
    #[error("cannot listen at {}", path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The system refused threads or timers: `internal`.
    #[error("cannot start what serves requests")]
    Runtime {
        /// Why not.
        source: io::Error,
    },
    /// As something else said before.
    #[error(transparent)]
    Failed(Failure),
}

fn shown(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

fn told(log: &str) -> String {
    let log = log.trim_end();
    if log.is_empty() { String::new() } else { format!("; its log ends with:\n{log}") }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let told = match error {
            Error::Failed(failure) => return failure,
            ref error => Self::of(error.code(), error),
        };
        let hint = match &error {
            // Its message is the same whatever was found.
            Error::Git(rig_git::Error::NotAGitProject { found }) => Some(found.clone()),
            Error::Sched(rig_sched::Error::Parse(error)) => error.hint().map(str::to_owned),
            _ => None,
        };
        Self { hint, detail: error.row().map(Box::new), ..told }
    }
}

impl Error {
    /// The stable name.
    #[must_use]
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Git(error) => error.code(),
            Self::Sched(error) => error.code(),
            Self::Mail(error) => error.code(),
            Self::BadId(_) => "bad_id",
            Self::Store(error) => error.code(),
            Self::Agent(error) => error.code(),
            Self::Config(error) => error.code(),
            Self::Environment(error) => error.code(),
            Self::NoLeader => "no_leader",
            Self::AlreadyRunning { .. } => "already_running",
            Self::DaemonNotReady { .. } | Self::DaemonNotStarted { .. } => "daemon_not_ready",
            Self::LeaderSilent { .. } => "leader_silent",
            Self::State { .. } | Self::RuntimeFolder { .. } | Self::Socket { .. } => "store_failed",
            Self::RuntimeFolderUnsafe { .. } => "runtime_folder_unsafe",
            Self::Runtime { .. } => "internal",
            Self::Failed(failure) => &failure.code,
        }
    }

    /// The row as it stands, as a reply shows it, where the error is about one.
    #[must_use]
    pub(crate) fn row(&self) -> Option<Value> {
        let Self::Git(error) = self else { return None };
        let shown = match error {
            rig_git::Error::WorkspaceNotReady { workspace: row, .. }
            | rig_git::Error::VersionConflict { row: Row::Workspace(row), .. } => {
                serde_json::to_value(WorkspaceReply::new((**row).clone(), None, None))
            }
            rig_git::Error::VersionConflict { row: Row::Project(row), .. } => {
                serde_json::to_value(ProjectReply::from((**row).clone()))
            }
            _ => return None,
        };
        shown.ok()
    }
}
