//! Processes that stay: daemons, and commands that go on until somebody ends them.

use std::error::Error;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::crowd::{PATIENCE, kill};
use crate::world::{Said, World, signal};

/// A process of ours that stays. It is killed if nobody ends it.
pub(crate) struct Stays {
    child: Option<Child>,
}

impl Stays {
    /// Starts it.
    pub(crate) fn start(mut command: Command) -> Result<Self, Box<dyn Error>> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(Self { child: Some(command.spawn()?) })
    }

    /// Starts it, and waits until it leads.
    pub(crate) fn leading(world: &World, command: Command) -> Result<Self, Box<dyn Error>> {
        let stays = Self::start(command)?;
        until("it leads", || status(world)["pid"] == stays.pid());
        Ok(stays)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    /// Sends it a signal, such as `-TERM`, and waits for its end.
    pub(crate) fn end(mut self, name: &str) -> Result<Said, Box<dyn Error>> {
        let child = self.child.take().ok_or("it ended")?;
        assert!(signal(&child, name)?.success());
        finished(child)
    }

    /// Waits for its end.
    pub(crate) fn finished(mut self) -> Result<Said, Box<dyn Error>> {
        finished(self.child.take().ok_or("it ended")?)
    }
}

impl Drop for Stays {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A daemon that a test leaves running in the background is stopped with this.
pub(crate) struct Stopped<'a>(pub(crate) &'a World);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        let _ = self.0.rig(&["daemon", "stop"]);
    }
}

/// Waits until a child has ended and nobody has its standard streams any more.
pub(crate) fn finished(child: Child) -> Result<Said, Box<dyn Error>> {
    let pid = child.id();
    let (tell, told) = channel();
    thread::spawn(move || tell.send(child.wait_with_output()));
    match told.recv_timeout(PATIENCE) {
        Ok(output) => Ok(Said::from(output?)),
        Err(_) => {
            // It is still ours: nobody has waited for it to its end.
            let _ = kill(pid);
            Err(format!("process {pid} does not end").into())
        }
    }
}

/// As [`finished`], from the start on.
pub(crate) fn run(mut command: Command) -> Result<Said, Box<dyn Error>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finished(command.spawn()?)
}

/// What `rig daemon status` says; nothing while nobody leads.
pub(crate) fn status(world: &World) -> Value {
    let said = world.rig(&["--json", "daemon", "status"]);
    said.ok().and_then(|said| serde_json::from_str(&said.stdout).ok()).unwrap_or_default()
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "it never came true that {what}");
        thread::yield_now();
    }
}
