use std::path::PathBuf;
use std::sync::OnceLock;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::config::{DaemonMode, Sources};
use rig_git::Machine;
use rig_git::git::Git;

use super::error::{Error, Result};
use super::turn_store::TurnStore;
use crate::environment::Environment;
use crate::operations::Operation;

/// Carries operations out for one caller.
#[derive(Debug)]
pub struct Node {
    pub(super) environment: Environment,
    pub(super) caller: Caller,
    pub(super) state: PathBuf,
    turns: TurnStore,
    pub(super) cancel: Cancel,
    machine: OnceLock<Machine>,
}

/// What carries out one operation.
pub trait Handle<O: Operation> {
    /// Carries the operation out.
    ///
    /// # Errors
    ///
    /// As the functions of rig-git that the operation stands for.
    fn handle(&self, operation: O) -> Result<O::Reply>;
}

impl Node {
    /// The node that this environment describes. Nothing is opened yet.
    ///
    /// # Errors
    ///
    /// If a variable makes no sense, or names an agent: no agent is registered yet.
    pub fn open(environment: Environment) -> Result<Self> {
        Ok(Self {
            caller: environment.caller()?,
            turns: TurnStore::new(environment.state()?, || {}),
            state: environment.state()?,
            environment,
            cancel: Cancel::new(),
            machine: OnceLock::new(),
        })
    }

    /// Calls `waiting` when the store has kept a transaction waiting for a second.
    #[must_use]
    pub fn on_waiting(mut self, waiting: fn()) -> Self {
        self.turns = TurnStore::new(self.state.clone(), waiting);
        self
    }

    /// The flag that ends whatever this node is at.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Carries an operation out.
    ///
    /// # Errors
    ///
    /// As the operation's handler says.
    pub fn call<O: Operation>(&self, operation: O) -> Result<O::Reply>
    where
        Self: Handle<O>,
    {
        tracing::debug!(operation = O::NAME, "called");
        self.handle(operation)
    }

    /// The store, unless it is a resident daemon's to open.
    pub(super) fn store(&self) -> Result<&TurnStore> {
        let environment = self.environment.variables();
        let by_environment = Sources { environment, ..Sources::default() }.load()?.config.daemon;
        // A file that cannot be read is told of where its values count.
        match self.daemon().unwrap_or(by_environment) {
            DaemonMode::Require => Err(Error::NoLeader),
            DaemonMode::Auto | DaemonMode::Never => Ok(&self.turns),
        }
    }

    /// What is to happen to work that is left behind.
    pub(super) fn daemon(&self) -> Result<DaemonMode> {
        let user_file = self.environment.user_config()?;
        let sources = Sources {
            user_file: Some(&user_file),
            environment: self.environment.variables(),
            ..Sources::default()
        };
        Ok(sources.load()?.config.daemon)
    }

    /// The programs and folders to work with.
    pub(super) fn machine(&self) -> Result<&Machine> {
        if let Some(machine) = self.machine.get() {
            return Ok(machine);
        }
        let machine = Machine {
            git: Git::find(self.environment.variables().to_vec())?,
            environment: self.environment.variables().to_vec(),
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
