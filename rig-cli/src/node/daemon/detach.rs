use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use process_wrap::std::{CommandWrap, ProcessSession};
use serde::{Deserialize, Serialize};

use super::log::Log;
use crate::environment::Environment;
use crate::node::error::{Error, Result};

/// The first descriptor that is no standard stream.
const FIRST: i32 = 3;

/// Starts a daemon that outlives whoever starts it.
#[derive(Debug)]
pub(crate) struct Detach<'a> {
    pub(crate) environment: &'a Environment,
    /// The state folder, which is there.
    pub(crate) state: &'a Path,
    /// After how long without connections and pending work it ends, as duration text.
    pub(crate) idle_exit: Option<&'a str>,
}

/// What a detached daemon says once it is of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ready {
    /// It leads.
    Leads,
    /// It leads as soon as the command that does is done.
    InLine,
    /// Another daemon is running.
    AlreadyRunning,
}

impl Detach<'_> {
    /// Starts it, in a session of its own and with none of our files, and waits until it is of use.
    ///
    /// # Errors
    ///
    /// `daemon_not_ready` if it cannot be started, or ends before that.
    pub(crate) fn start(&self) -> Result<Ready> {
        let log = Log::of(self.state);
        let length = log.length();
        let (said, ended) = self.run(&log).map_err(|source| Error::DaemonNotStarted { source })?;
        serde_json::from_str(&said).map_err(|_| {
            let how = ended.to_string();
            Error::DaemonNotReady { how, log: log.told_since(length) }
        })
    }

    /// What it said, and, if that was nothing, how it ended.
    fn run(&self, log: &Log) -> std::io::Result<(String, ExitStatus)> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["daemon", "run", "--detached"]);
        if let Some(idle_exit) = self.idle_exit {
            command.args(["--idle-exit", idle_exit]);
        }
        // It serves everybody, in nobody's name.
        let variables = self.environment.variables().iter();
        let own = variables.filter(|(name, _)| name != "RIG_AGENT_ID" && name != "RIG_AGENT_TOKEN");
        command.env_clear().envs(own.map(|(name, value)| (name, value))).current_dir(self.state);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log.open()?);
        // Whoever reads to the end of a pipe that we were given is not to wait for the daemon.
        close_fds::set_fds_cloexec_threadsafe(FIRST, &[]);
        let mut child = CommandWrap::from(command).wrap(ProcessSession).spawn()?;
        let mut said = String::new();
        if let Some(stdout) = child.stdout().take() {
            BufReader::new(stdout).read_line(&mut said)?;
        }
        let ended = if said.is_empty() { child.wait()? } else { ExitStatus::default() };
        Ok((said, ended))
    }
}
