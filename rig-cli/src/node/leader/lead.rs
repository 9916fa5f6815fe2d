use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

use rig_core::clock::Deadline;
use rig_core::concurrency::{abort, graceful_shutdown};
use rig_core::store::{Progress, Transact as _};
use rig_core::time::Timestamp;
use tokio::net::UnixListener;
use tokio::sync::mpsc::{UnboundedReceiver, channel};
use tokio::sync::watch::{Sender, channel as watch_channel};
use tokio::task::{JoinSet, spawn_blocking};

use super::accept::accept;
use super::beat::Beat;
use super::bound::Bound;
use super::core::{Core, Parts};
use super::departure::{Departure, Left};
use super::files::Files;
use super::leave::{Leaving, Why};
use super::role::Role;
use crate::environment::Environment;
use crate::node::error::{Error, Result};
use crate::node::lock::LockFile;
use crate::node::watch::{self, Watching};
use crate::protocol::{Build, Failure};

/// Connections at once; the backlog holds more.
const CONNECTIONS: usize = 512;

/// One leadership, from the lock to its end.
pub(super) struct Lead {
    pub(super) lock: Arc<LockFile>,
    pub(super) bound: Arc<Bound>,
    pub(super) environment: Environment,
    pub(super) state: PathBuf,
    pub(super) socket: PathBuf,
    pub(super) role: Role,
    pub(super) build: Build,
    pub(super) drained: Option<Deadline>,
    pub(super) since: Timestamp,
    pub(super) own: UnboundedReceiver<UnixStream>,
    pub(super) leaving: Leaving,
}

/// How far the opening of the store is.
#[derive(Clone)]
pub(super) enum Opening {
    /// So many percent of a repair are done.
    Going(u8),
    Open(Arc<Core>),
    Failed(Failure),
}

impl Lead {
    /// Leads until something makes it leave.
    pub(super) async fn run(mut self, listener: std::os::unix::net::UnixListener) -> Result<Left> {
        let (opening, opened) = watch_channel(Opening::Going(0));
        let (listeners, mut bound_again) = channel(1);
        let (shutdown, beat) = (graceful_shutdown(abort()), Beat::default());
        beat.start();
        let files = Files {
            lock: Arc::clone(&self.lock),
            bound: Arc::clone(&self.bound),
            leaving: self.leaving.clone(),
            listeners,
        };
        files.watch(&beat, &shutdown);
        let mut listener = self.listener(listener)?;
        let parts = Parts {
            environment: self.environment.clone(),
            state: self.state.clone(),
            socket: self.socket.clone(),
            role: self.role,
            build: self.build.clone(),
            drained: self.drained,
            since: self.since,
            leaving: self.leaving.clone(),
            shutdown: shutdown.clone(),
            beat,
            lock: Arc::clone(&self.lock),
        };
        let leaving = self.leaving.clone();
        let open = spawn_blocking(move || open(parts, &opening));
        let mut connections = JoinSet::new();
        let why = loop {
            tokio::select! {
                why = leaving.begun() => break why,
                accepted = listener.accept(), if connections.len() < CONNECTIONS => {
                    // What fails at accepting concerns that client only.
                    if let Ok((stream, _)) = accepted {
                        connections.spawn(accept(stream, false, opened.clone(), leaving.clone()));
                    }
                }
                Some(stream) = self.own.recv() => {
                    if let Ok(()) = stream.set_nonblocking(true)
                        && let Ok(stream) = tokio::net::UnixStream::from_std(stream)
                    {
                        connections.spawn(accept(stream, true, opened.clone(), leaving.clone()));
                    }
                }
                Some(_) = connections.join_next() => {}
                Some(again) = bound_again.recv() => listener = self.listener(again)?,
            }
        };
        drop(listener);
        let Self { lock, bound, leaving, own, .. } = self;
        // Connections that nobody took are lost at once, not when all is over.
        drop(own);
        let departure =
            Departure { why, leaving, lock, bound, connections, open, opened, shutdown };
        departure.run().await
    }

    fn listener(&self, listener: std::os::unix::net::UnixListener) -> Result<UnixListener> {
        let path = self.socket.clone();
        UnixListener::from_std(listener).map_err(|source| Error::Socket { path, source })
    }
}

/// Opens the store, does the first of what is due, and starts what goes on by itself.
fn open(parts: Parts, opening: &Sender<Opening>) {
    let told = opening.clone();
    let progress = Progress::new(move |done| {
        // A whole percent is enough for whoever waits.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let percent = (done * 100.0).clamp(0.0, 100.0) as u8;
        told.send_replace(Opening::Going(percent));
    });
    let (leaving, daemon) = (parts.leaving.clone(), parts.role.is_daemon());
    let opened = match Core::open(parts, progress) {
        Ok(core) => {
            core.catch_up();
            core.start_timer();
            core.start_telling();
            core.start_works();
            if core.role.stays() {
                core.watch();
            }
            if let Role::Daemon { idle_exit: Some(after) } = core.role {
                tokio::spawn(Arc::clone(&core).end_when_idle(after));
            }
            Opening::Open(core)
        }
        Err(error) => {
            let failure = Failure::from(error);
            if daemon {
                // Nobody else tells it.
                leaving.leave(Why::Failed(failure.clone()));
            }
            Opening::Failed(failure)
        }
    };
    opening.send_replace(opened);
}

impl Core {
    /// Watches sync files until the shutdown.
    fn watch(self: &Arc<Self>) {
        let core = Arc::downgrade(self);
        let watching = Watching {
            ready: Arc::new(move || {
                core.upgrade()
                    .map_or_else(|| Ok(Vec::new()), |core| Ok(core.store.read(watch::ready)?))
            }),
            user_config: self.environment.user_config().ok(),
            shutdown: self.shutdown.clone(),
            changed: Arc::clone(&self.sync),
        };
        tokio::spawn(watch::watch(watching));
    }
}
