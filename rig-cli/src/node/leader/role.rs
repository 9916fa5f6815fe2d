use std::time::Duration;

/// Why a process leads, and so for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// For a command, until that is done.
    Command,
    /// For a program of somebody's own, until that closes its node.
    Host,
    /// For everybody.
    Daemon {
        /// After how long without a connection or pending work it ends by itself.
        idle_exit: Option<Duration>,
    },
}

impl Role {
    /// Whether it stays, and so does all work that is due.
    pub(in crate::node) fn stays(self) -> bool {
        self != Self::Command
    }

    pub(in crate::node) fn is_daemon(self) -> bool {
        matches!(self, Self::Daemon { .. })
    }

    /// The role as it is told.
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Host => "host",
            Self::Daemon { .. } => "daemon",
        }
    }
}
