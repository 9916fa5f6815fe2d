use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rig_core::clock::Deadline;
use rig_core::store::{Progress, Transact as _};
use rig_core::time::Timestamp;
use tokio::net::UnixListener;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch::{Sender, channel};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use super::accept::accept;
use super::core::{Core, Parts};
use super::leave::{Leaving, Why};
use super::role::Role;
use super::start::bind;
use crate::environment::Environment;
use crate::node::error::{Error, Result};
use crate::node::lock::LockFile;
use crate::node::watch::{self, Watching};
use crate::protocol::{Build, Failure};

/// Connections at once; the backlog holds more.
const CONNECTIONS: usize = 512;

/// How often a leader looks after its files.
const LOOK: Duration = Duration::from_secs(5);

/// One leadership, from the lock to its end.
pub(super) struct Lead {
    pub(super) lock: LockFile,
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

/// How a leader left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::node) struct Left {
    /// What was not waited for to its end.
    pub(in crate::node) late: Vec<String>,
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
        let (opening, opened) = channel(Opening::Going(0));
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
        };
        let open = spawn_blocking(move || open(parts, &opening));
        let mut connections = JoinSet::new();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut place = inode(&self.socket);
        let leaving = self.leaving.clone();
        let why = loop {
            tokio::select! {
                why = leaving.begun() => break why,
                accepted = listener.accept(), if connections.len() < CONNECTIONS => {
                    // What fails at accepting concerns that client only.
                    if let Ok((stream, _)) = accepted {
                        connections.spawn(accept(stream, false, opened.clone()));
                    }
                }
                Some(stream) = self.own.recv() => {
                    if let Ok(()) = stream.set_nonblocking(true)
                        && let Ok(stream) = tokio::net::UnixStream::from_std(stream)
                    {
                        connections.spawn(accept(stream, true, opened.clone()));
                    }
                }
                Some(_) = connections.join_next() => {}
                _ = look.tick() => {
                    if !self.lock.is_in_place() {
                        break Why::LockLost;
                    }
                    if inode(&self.socket) != place {
                        listener = self.listener(bind(&self.socket)?)?;
                        place = inode(&self.socket);
                    }
                }
            }
        };
        tracing::debug!(?why, "leaving");
        drop(listener);
        let end = Instant::now() + why.limit();
        while let Ok(Some(_)) = timeout_at(end, connections.join_next()).await {}
        let mut left = Left::default();
        if let Opening::Open(core) = &*opened.borrow() {
            left.late = core.requests.working();
        }
        connections.shutdown().await;
        // The store is opened to its end, however long that takes: it is ours to close.
        let _ = open.await;
        let opened = opened.borrow().clone();
        let closed = match opened {
            Opening::Open(core) => {
                let shut = core.shutdown.shutdown(end.saturating_duration_since(Instant::now()));
                let (works, shut) = tokio::join!(core.works.end(end), shut);
                left.late.extend(shut.timed_out);
                left.late.extend(works.iter().map(ToString::to_string));
                let close = spawn_blocking(move || core.store.close());
                close.await.unwrap_or(Ok(())).map_err(Error::from)
            }
            Opening::Going(_) | Opening::Failed(_) => Ok(()),
        };
        if inode(&self.socket) == place {
            // Whoever leads next would do it too.
            let _ = std::fs::remove_file(&self.socket);
        }
        match why {
            Why::Failed(failure) => Err(Error::Failed(failure)),
            _ => closed.map(|()| left),
        }
    }

    fn listener(&self, listener: std::os::unix::net::UnixListener) -> Result<UnixListener> {
        let path = self.socket.clone();
        UnixListener::from_std(listener).map_err(|source| Error::Socket { path, source })
    }
}

/// Opens the store, and starts what goes on by itself.
fn open(parts: Parts, opening: &Sender<Opening>) {
    let told = opening.clone();
    let progress = Progress::new(move |done| {
        // A whole percent is enough for whoever waits.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let percent = (done * 100.0).clamp(0.0, 100.0) as u8;
        told.send_replace(Opening::Going(percent));
    });
    let opened = match Core::open(parts, progress) {
        Ok(core) => {
            let core = Arc::new(core);
            core.begin();
            Opening::Open(core)
        }
        Err(error) => Opening::Failed(error.into()),
    };
    opening.send_replace(opened);
}

impl Core {
    /// Starts what goes on by itself while this process leads.
    fn begin(self: &Arc<Self>) {
        let core = Arc::downgrade(self);
        let listening = self.store.on_events(move || {
            let Some(core) = core.upgrade() else { return };
            core.committed.send_modify(|times| *times += 1);
            core.sync.notify_one();
            if let Some(error) = core.store.failed() {
                core.leaving.leave(Why::Failed(Error::from(error).into()));
            }
        });
        // It is begun once.
        let _ = self.listening.set(listening);
        self.works.start(self);
        if self.role.stays() {
            self.watch();
        }
        if let Role::Daemon { idle_exit: Some(after) } = self.role {
            tokio::runtime::Handle::current().spawn(Arc::clone(self).end_when_idle(after));
        }
    }

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
        tokio::runtime::Handle::current().spawn(watch::watch(watching));
    }
}

fn inode(path: &Path) -> Option<(u64, u64)> {
    let found = std::fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}
