use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rig_core::clock::{Boot, Clock as _, Deadline, SystemClock};
use rig_core::failpoint;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::bound::Bound;
use super::departure::Left;
use super::lead::Lead;
use super::leave::{Leaving, Why};
use crate::node::error::{Error, Result};
use crate::node::lock::{Holder, LockFile};
use crate::node::open::Node;

/// Threads that carry out requests at once; more requests wait for one.
const THREADS: usize = 128;

/// For how long a leader leaves for no other build, after one left for it.
pub(in crate::node) const UNDRAINED: Duration = Duration::from_mins(1);

/// How a leader begins.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::node) struct Start {
    /// When another build left, so that this one leads.
    pub(in crate::node) drained: Option<Boot>,
    /// How long ago that was.
    pub(in crate::node) ago: Duration,
}

/// This process while it leads.
#[derive(Debug)]
pub(in crate::node) struct Leader {
    runtime: Option<Runtime>,
    own: UnboundedSender<UnixStream>,
    leaving: Leaving,
    ended: Receiver<Result<Left>>,
}

impl Leader {
    /// Begins to lead, with the lock that was taken. The store is opened meanwhile: who connects
    /// is put off until it is.
    pub(in crate::node) fn start(lock: LockFile, node: &Node, start: Start) -> Result<Self> {
        let socket = node.socket.clone();
        let since = SystemClock::default().now();
        lock.write(&Holder {
            pid: std::process::id(),
            role: node.role.as_str().to_owned(),
            build: node.hello.build.clone(),
            socket: socket.clone().into(),
            since: since.to_string(),
            drained: start.drained,
        });
        failpoint!("node.locked");
        let (bound, listener) = Bound::bind(&socket)?;
        failpoint!("node.bound");
        let runtime = Builder::new_multi_thread()
            // It only passes on what threads that may block do.
            .worker_threads(1)
            .max_blocking_threads(THREADS)
            .thread_keep_alive(Duration::from_secs(1))
            .thread_name("rig-node")
            .enable_all()
            .build()
            .map_err(|source| Error::Runtime { source })?;
        let (own, owns) = unbounded_channel();
        let (ended, wait) = channel();
        let leaving = Leaving::default();
        let lead = Lead {
            lock: Arc::new(lock),
            bound: Arc::new(bound),
            environment: node.environment.clone(),
            state: node.state.clone(),
            socket,
            role: node.role,
            build: node.hello.build.clone(),
            drained: start.drained.map(|_| Deadline::after(UNDRAINED.saturating_sub(start.ago))),
            since,
            own: owns,
            leaving: leaving.clone(),
        };
        runtime.spawn(async move {
            let left = lead.run(listener).await;
            // Nobody waits for it if the process is ending.
            let _ = ended.send(left);
        });
        Ok(Self { runtime: Some(runtime), own, leaving, ended: wait })
    }

    /// A connection to itself; none if it has left.
    pub(in crate::node) fn connect(&self) -> Option<UnixStream> {
        let (ours, theirs) = UnixStream::pair().ok()?;
        self.own.send(theirs).ok()?;
        Some(ours)
    }

    /// Waits until it has left, for whatever reason.
    ///
    /// # Errors
    ///
    /// If the store failed, or could not be closed well.
    pub(in crate::node) fn wait(&mut self) -> Result<Left> {
        let left = self.ended.recv().unwrap_or_else(|_| Ok(Left::default()));
        if let Some(runtime) = self.runtime.take() {
            // A program that goes on by itself is not waited for.
            runtime.shutdown_background();
        }
        left
    }

    /// Leaves.
    pub(in crate::node) fn leave(mut self, why: Why) -> Result<Left> {
        self.leaving.leave(why);
        self.wait()
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
