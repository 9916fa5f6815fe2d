//! Processes that stay: daemons, and commands that go on until somebody ends them.

use std::io;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::crowd::{Running, until};
use crate::world::{Said, World};

/// A daemon that a test leaves running in the background is stopped with this.
pub(crate) struct Stopped<'a>(pub(crate) &'a World);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        let _ = self.0.rig(&["daemon", "stop"]);
    }
}

/// Starts a command whose output is kept.
pub(crate) fn started(mut command: Command) -> io::Result<Running> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::start(&mut command)
}

/// Starts `rig` in the repository, and waits until it leads.
pub(crate) fn leading(world: &World, args: &[&str]) -> io::Result<Running> {
    let running = world.start(args)?;
    until("it leads", || status(world)["pid"] == running.id());
    Ok(running)
}

/// Runs a command to its end, which is that of whoever has its standard streams.
pub(crate) fn run(command: Command) -> Result<Said, Box<dyn std::error::Error>> {
    started(command)?.ends()
}

/// What `rig daemon status` says.
pub(crate) fn status(world: &World) -> Value {
    let said = world.rig(&["--json", "daemon", "status"]);
    said.ok().and_then(|said| serde_json::from_str(&said.stdout).ok()).unwrap_or_default()
}
