use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rig_core::clock::{Clock as _, SystemClock};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::lead::Lead;
use super::leave::{Leaving, Why};
use crate::node::error::{Error, Result};
use crate::node::lock::{Holder, LockFile};
use crate::node::open::Node;
use crate::protocol::Build;

/// Threads that carry out requests at once; more requests wait for one.
const THREADS: usize = 128;

/// This process while it leads.
#[derive(Debug)]
pub(in crate::node) struct Leader {
    runtime: Option<Runtime>,
    own: UnboundedSender<UnixStream>,
    leaving: Leaving,
    ended: Receiver<Result<()>>,
}

impl Leader {
    /// Begins to lead, with the lock that was taken. The store is opened meanwhile: who connects
    /// is put off until it is.
    pub(in crate::node) fn start(lock: LockFile, node: &Node) -> Result<Self> {
        let socket = node.socket.clone();
        let since = SystemClock::default().now();
        lock.write(&Holder {
            pid: std::process::id(),
            role: node.role.as_str().to_owned(),
            build: Build::this(),
            socket: socket.clone().into(),
            since: since.to_string(),
        });
        let listener = bind(&socket)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
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
            lock,
            environment: node.environment.clone(),
            state: node.state.clone(),
            socket,
            role: node.role,
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

    /// What it is told to make it leave.
    pub(in crate::node) fn leaving(&self) -> &Leaving {
        &self.leaving
    }

    /// Waits until it has left, for whatever reason.
    ///
    /// # Errors
    ///
    /// If the store failed, or could not be closed well.
    pub(in crate::node) fn wait(&mut self) -> Result<()> {
        let left = self.ended.recv().unwrap_or(Ok(()));
        if let Some(runtime) = self.runtime.take() {
            // A program that goes on by itself is not waited for.
            runtime.shutdown_background();
        }
        left
    }

    /// Leaves, since what it was for is done.
    pub(in crate::node) fn leave(mut self) -> Result<()> {
        self.leaving.leave(Why::Done);
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

/// Binds the socket, in place of whatever a dead leader left. Only the lock's holder may.
pub(super) fn bind(path: &Path) -> Result<UnixListener> {
    let bind = || {
        match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    bind().map_err(|source| Error::Socket { path: path.to_owned(), source })
}
