use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, OnceLock};

use rig_core::concurrency::{GracefulShutdown, abort, graceful_shutdown};
use rig_core::store::{Options, Progress, Store};
use rig_core::time::Timestamp;
use rig_git::Machine;
use rig_git::git::Git;
use tokio::sync::{Notify, watch};

use super::leave::Leaving;
use super::role::Role;
use super::works::Works;
use crate::environment::Environment;
use crate::node::error::Result;

/// What everything that a leader does shares.
#[derive(Debug)]
pub(in crate::node) struct Core {
    pub(in crate::node) environment: Environment,
    pub(in crate::node) state: PathBuf,
    pub(in crate::node) socket: PathBuf,
    pub(in crate::node) role: Role,
    /// Since when it leads.
    pub(in crate::node) since: Timestamp,
    pub(in crate::node) store: Store,
    pub(in crate::node) works: Works,
    pub(in crate::node) leaving: Leaving,
    /// Changes after each commit that wrote an event: look again.
    pub(in crate::node) committed: watch::Sender<u64>,
    /// Where what runs in the background is registered, shown and ended.
    pub(in crate::node) shutdown: GracefulShutdown,
    /// Notified after each commit, for the watching of sync files.
    pub(super) sync: Arc<Notify>,
    /// Open connections.
    pub(in crate::node) connections: AtomicUsize,
    /// Whether a daemon stands in line to lead next.
    pub(in crate::node) heir: AtomicBool,
    machine: OnceLock<Machine>,
}

/// What the core is made of.
pub(super) struct Parts {
    pub(super) environment: Environment,
    pub(super) state: PathBuf,
    pub(super) socket: PathBuf,
    pub(super) role: Role,
    pub(super) since: Timestamp,
    pub(super) leaving: Leaving,
}

impl Core {
    /// Opens the store; `progress` is told how a repair goes on.
    pub(super) fn open(parts: Parts, progress: Progress) -> Result<Self> {
        let Parts { environment, state, socket, role, since, leaving } = parts;
        let options = Options { progress, ..Options::default() };
        let store = Store::open(&state.join("rig.redb"), options)?;
        Ok(Self {
            environment,
            state,
            socket,
            role,
            since,
            store,
            works: Works::default(),
            leaving,
            committed: watch::Sender::new(0),
            shutdown: graceful_shutdown(abort()),
            sync: Arc::default(),
            connections: AtomicUsize::new(0),
            heir: AtomicBool::new(false),
            machine: OnceLock::new(),
        })
    }

    /// The programs and folders to work with.
    pub(in crate::node) fn machine(&self) -> Result<&Machine> {
        if let Some(machine) = self.machine.get() {
            return Ok(machine);
        }
        let variables = self.environment.variables();
        let machine = Machine {
            git: Git::find(variables.to_vec())?,
            environment: variables.to_vec(),
            home: self.environment.home()?,
            shell: self.environment.shell(),
            workspaces_root: self.environment.workspaces_root()?,
            state: self.state.clone(),
            locks: rig_git::turns::Locks::default(),
            user_config: Some(self.environment.user_config()?),
        };
        Ok(self.machine.get_or_init(|| machine))
    }
}
