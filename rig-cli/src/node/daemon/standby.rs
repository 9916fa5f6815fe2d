use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rig_core::cancel::Cancel;

use crate::environment::Environment;
use crate::node::error::Error;
use crate::node::leader::{Role, Why};
use crate::node::link::Patience;
use crate::node::open::{Hooks, Interrupt, Node};
use crate::protocol::Failure;

/// How long a host waits before it tries again to lead, after it could not.
const PAUSE: Duration = Duration::from_secs(1);

/// A thread of a host that waits until nobody leads, and then does.
#[derive(Debug)]
pub(in crate::node) struct Standby {
    interrupt: Arc<Interrupt>,
    cancel: Cancel,
    thread: Option<JoinHandle<Result<(), Failure>>>,
}

impl Standby {
    /// Starts it, and waits until somebody leads: this process or another one.
    ///
    /// # Errors
    ///
    /// If there is nobody who leads, and this process cannot.
    pub(in crate::node) fn start(environment: Environment) -> Result<Self, Failure> {
        let node = Node::new(environment, Role::Host, Hooks::default())?;
        let (interrupt, cancel) = (node.interrupt(), Cancel::new());
        let (led, wait) = channel();
        let ended = cancel.clone();
        let thread = std::thread::Builder::new()
            .name("rig-standby".to_owned())
            .spawn(move || run(&node, &led, &ended))
            .map_err(|source| Error::Runtime { source })?;
        let standby = Self { interrupt, cancel, thread: Some(thread) };
        match wait.recv() {
            Ok(Err(failure)) => Err(failure),
            _ => Ok(standby),
        }
    }

    /// Ends it; if it leads, it leaves.
    ///
    /// # Errors
    ///
    /// If the store could not be closed well.
    pub(in crate::node) fn end(mut self) -> Result<(), Failure> {
        self.stop()
    }

    fn stop(&mut self) -> Result<(), Failure> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        self.cancel.cancel();
        self.interrupt.set();
        thread.join().unwrap_or(Ok(()))
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        // Who wants to know ends it.
        let _ = self.stop();
    }
}

/// Follows whoever leads, and leads when nobody does, until it is told to end.
fn run(node: &Node, led: &Sender<Result<(), Failure>>, ended: &Cancel) -> Result<(), Failure> {
    let waiting = || {};
    let mut patience = Patience::new(true, &waiting);
    loop {
        let (reached, pause) = match node.reach(&mut patience) {
            Ok(mut link) => {
                let first = led.send(Ok(()));
                node.interrupt().watching(&mut link, |link| link.until_lost(&mut patience));
                (first, Duration::ZERO)
            }
            Err(failure) => {
                tracing::debug!(%failure, "cannot lead or follow");
                (led.send(Err(failure)), PAUSE)
            }
        };
        // Only the first time somebody waits to be told.
        drop(reached);
        let left = node.leave(Why::Done).map(drop);
        if ended.pause(pause) {
            return left;
        }
    }
}
