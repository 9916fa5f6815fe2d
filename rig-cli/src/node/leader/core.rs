use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use rig_core::clock::{Deadline, Now};
use rig_core::concurrency::GracefulShutdown;
use rig_core::store::{Listening, Options, Progress, Store, Transact as _};
use rig_core::time::Timestamp;
use rig_git::Machine;
use rig_git::git::Git;
use tokio::sync::{Notify, watch};

use super::beat::Beat;
use super::ears::Ears;
use super::leave::{Leaving, Why};
use super::line::Line;
use super::present::Present;
use super::requests::Requests;
use super::role::Role;
use super::works::Works;
use crate::environment::Environment;
use crate::node::error::{Error, Result};
use crate::node::lock::LockFile;
use crate::protocol::Build;

/// What everything that a leader does shares.
#[derive(Debug)]
pub(in crate::node) struct Core {
    pub(in crate::node) environment: Environment,
    pub(in crate::node) state: PathBuf,
    pub(in crate::node) socket: PathBuf,
    pub(in crate::node) role: Role,
    pub(in crate::node) build: Build,
    /// Since when it leads.
    pub(in crate::node) since: Timestamp,
    pub(in crate::node) store: Store,
    pub(in crate::node) works: Works,
    pub(in crate::node) leaving: Leaving,
    /// What an orderly end waits for, and the loops that run.
    pub(in crate::node) shutdown: GracefulShutdown,
    /// Changes after each commit that wrote an event: look again.
    pub(in crate::node) committed: watch::Sender<u64>,
    /// Notified after each commit, for the watching of sync files.
    pub(super) sync: Arc<Notify>,
    /// Who waits for what happens to something.
    pub(super) ears: Ears,
    /// Notified after each commit, for those.
    pub(super) events: Arc<Notify>,
    /// Open connections of other processes.
    pub(in crate::node) connections: watch::Sender<usize>,
    /// Who leads next.
    pub(in crate::node) line: Line,
    pub(in crate::node) requests: Requests,
    /// Until when it leaves for no other build, if it began when one left for it.
    pub(in crate::node) drained: Option<Deadline>,
    /// Wakes the timer.
    pub(super) due: Arc<Notify>,
    /// When the store was opened: what was due by then is fired before this process leaves.
    pub(super) opened: Now,
    /// The clock as the timer read it last.
    pub(super) read: Mutex<Now>,
    /// Which agents are connected.
    pub(in crate::node) present: Present,
    machine: OnceLock<Machine>,
    _listening: Listening,
    /// Kept until nothing uses the store any more.
    _lock: Arc<LockFile>,
}

/// What the core is made of.
pub(super) struct Parts {
    pub(super) environment: Environment,
    pub(super) state: PathBuf,
    pub(super) socket: PathBuf,
    pub(super) role: Role,
    pub(super) build: Build,
    pub(super) drained: Option<Deadline>,
    pub(super) since: Timestamp,
    pub(super) leaving: Leaving,
    pub(super) shutdown: GracefulShutdown,
    pub(super) beat: Beat,
    pub(super) lock: Arc<LockFile>,
}

impl Core {
    /// Opens the store; `progress` is told how a repair goes on.
    pub(super) fn open(parts: Parts, progress: Progress) -> Result<Arc<Self>> {
        let Parts { environment, state, socket, role, build, drained, since, leaving, .. } = parts;
        let options = Options { progress, ..Options::default() };
        let store = Store::open(&state.join("rig.redb"), options)?;
        let opened = Now::read(store.clock());
        Ok(Arc::new_cyclic(|core: &Weak<Self>| {
            let core = core.clone();
            let listening = store.on_events(move || {
                if let Some(core) = core.upgrade() {
                    core.look_again();
                }
            });
            Self {
                environment,
                state,
                socket,
                role,
                build,
                since,
                store,
                works: Works::default(),
                leaving,
                shutdown: parts.shutdown,
                committed: watch::Sender::new(0),
                sync: Arc::default(),
                ears: Ears::default(),
                events: Arc::default(),
                connections: watch::Sender::new(0),
                line: Line::default(),
                requests: Requests::default(),
                drained,
                due: parts.beat.due,
                opened,
                read: Mutex::new(opened),
                present: Present::default(),
                machine: OnceLock::new(),
                _listening: listening,
                _lock: parts.lock,
            }
        }))
    }

    /// Tells whoever follows the journal that there is more of it, and leaves if nothing can be
    /// written any more.
    fn look_again(&self) {
        self.committed.send_modify(|times| *times += 1);
        self.sync.notify_one();
        self.events.notify_one();
        if let Some(error) = self.store.failed() {
            self.leaving.leave(Why::Failed(Error::from(error).into()));
        }
    }

    /// Wakes the timer, since something is due at another time now. Whoever arms, cancels or
    /// settles something calls it after the commit.
    pub(in crate::node) fn due_changed(&self) {
        self.due.notify_one();
    }

    /// Whether this build carries the operation of this name out.
    pub(super) fn knows(&self, operation: &str) -> bool {
        #[cfg(feature = "failpoints")]
        if let Ok(Some(played)) = crate::failpoints::played(&self.environment) {
            return !played.without.iter().any(|it| it == operation);
        }
        let _ = (self, operation);
        true
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
