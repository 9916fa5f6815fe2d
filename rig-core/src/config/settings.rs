use std::time::Duration;

use crate::agent::{MAX_DEPTH, Mount};

/// The merged configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `agents.*`.
    pub agents: AgentsConfig,
    /// `features.*`.
    pub features: Features,
    /// `workspace.*`.
    pub workspace: WorkspaceConfig,
    /// `permissions.protected_paths`: the paths of all layers.
    pub protected_paths: Vec<String>,
    /// `daemon.mode`, or `RIG_DAEMON`.
    pub daemon: DaemonMode,
    /// `daemon.idle_exit`: after how long without anything to do a daemon ends.
    pub idle_exit: Option<Duration>,
}

/// How agents are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentsConfig {
    /// How deep below its primary agent a subagent may be.
    pub max_depth: u32,
    /// What this view of the disk has of others.
    pub mounts: Vec<Mount>,
}

/// What can be switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// Agents are offered workspaces.
    pub workspaces: bool,
    /// Agents are offered workspaces of other projects.
    pub cross_workspace: bool,
}

/// How workspaces are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceConfig {
    /// What runs in a new workspace, in order.
    pub setup_commands: Vec<SetupCommand>,
    /// Paths copied into each workspace.
    pub sync: Vec<String>,
    /// The same, without write bits.
    pub protected_sync: Vec<String>,
    /// How long a fetch may take.
    pub fetch_timeout: Duration,
    /// How long a checkout may take.
    pub checkout_timeout: Duration,
    /// How long each setup command may take.
    pub setup_timeout: Duration,
}

/// A command that runs in a new workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupCommand {
    /// The command line, for the shell.
    pub run: String,
    /// How long it may take, where that is not `workspace.setup_timeout`.
    pub timeout: Option<Duration>,
}

/// What a command does about the work it leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DaemonMode {
    /// A process that ends by itself takes it up.
    Auto,
    /// Nothing is left running; the next command that needs the work takes it up.
    Never,
    /// A process that runs already must take it up; without one the command is refused.
    Require,
}

impl DaemonMode {
    /// The mode as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Never => "never",
            Self::Require => "require",
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            agents: AgentsConfig { max_depth: MAX_DEPTH, mounts: Vec::new() },
            features: Features { workspaces: true, cross_workspace: false },
            workspace: WorkspaceConfig {
                setup_commands: Vec::new(),
                sync: Vec::new(),
                protected_sync: Vec::new(),
                fetch_timeout: Duration::from_mins(2),
                checkout_timeout: Duration::from_mins(30),
                setup_timeout: Duration::from_mins(30),
            },
            protected_paths: Vec::new(),
            daemon: DaemonMode::Auto,
            idle_exit: None,
        }
    }
}
