use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::abort::Abort;
use super::error::Aborted;
use super::failure::{self, Failure};
use super::in_task::in_task;
use super::loops::{LoopStatus, Loops, Shown};

/// How long a shutdown usually waits for its handlers: 10 s.
pub const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);

/// Ends everything that registered, in parallel and within a limit. Clones share it.
#[derive(Clone)]
pub struct GracefulShutdown {
    shared: Arc<Shared>,
}

struct Shared {
    abort: Abort,
    handlers: Mutex<Handlers>,
    report: watch::Sender<Option<ShutdownReport>>,
    loops: Arc<Loops>,
}

#[derive(Default)]
struct Handlers {
    begun: bool,
    number: u64,
    /// Those not done, by name.
    left: BTreeMap<String, Entry>,
}

struct Entry {
    number: u64,
    /// None once the shutdown has taken it.
    handler: Option<Handler>,
}

type Ending = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;
type Handler = Box<dyn FnOnce() -> Ending + Send>;

/// How a shutdown went. What is in neither list is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ShutdownReport {
    /// The names of the handlers that were not done within the limit, sorted.
    pub timed_out: Vec<String>,
    /// The handlers that failed or panicked, sorted by name.
    pub failed: Vec<Failed>,
}

/// A handler that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// Its name.
    pub name: String,
    /// What it failed with, and its causes.
    pub error: String,
}

/// A shutdown that fires `abort` when it begins.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), rig_core::concurrency::Aborted> {
/// use std::convert::Infallible;
///
/// use rig_core::concurrency::{SHUTDOWN_LIMIT, abort, graceful_shutdown};
///
/// let abort = abort();
/// let shutdown = graceful_shutdown(abort.clone());
/// let _store = shutdown.register("store", || async { Ok::<_, Infallible>(()) })?;
/// let _index = shutdown.register("index", || async { Err("the disk is gone") })?;
/// assert_eq!(shutdown.pending(), ["index", "store"]);
///
/// let report = shutdown.shutdown(SHUTDOWN_LIMIT).await;
/// assert!(abort.is_aborted());
/// assert_eq!(report.failed[0].name, "index");
/// assert!(shutdown.pending().is_empty());
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn graceful_shutdown(abort: Abort) -> GracefulShutdown {
    let (report, _) = watch::channel(None);
    let (handlers, loops) = (Mutex::default(), Arc::default());
    GracefulShutdown { shared: Arc::new(Shared { abort, handlers, report, loops }) }
}

impl GracefulShutdown {
    /// Has `handler` run by a shutdown, until what is returned is dropped. A handler registered
    /// earlier under the name is replaced.
    ///
    /// # Errors
    ///
    /// [`Aborted`] with the name, once a shutdown has begun.
    pub fn register<H, F, E>(&self, name: &str, handler: H) -> Result<Registered, Aborted>
    where
        H: FnOnce() -> F + Send + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Failure>,
    {
        let handler: Handler = Box::new(|| {
            let ending = handler();
            Box::pin(async { ending.await.map_err(E::into) })
        });
        let mut handlers = self.shared.handlers();
        if handlers.begun {
            return Err(self.shared.abort.named(name).error());
        }
        handlers.number += 1;
        let number = handlers.number;
        let entry = Entry { number, handler: Some(handler) };
        let replaced = handlers.left.insert(name.to_owned(), entry);
        // What a handler holds is not ours to drop while the lock is held.
        drop(handlers);
        drop(replaced);
        Ok(Registered { shared: Arc::clone(&self.shared), name: name.to_owned(), number })
    }

    /// Fires the abort, runs all handlers in parallel, and tells how they ended.
    ///
    /// It runs once: every other caller, whatever its limit, waits for it and gets the same report.
    /// It goes on if this call is dropped. A handler beyond the limit is not cut off; it stays among
    /// [`GracefulShutdown::pending`] until it is done.
    pub async fn shutdown(&self, limit: Duration) -> ShutdownReport {
        if let Some(handlers) = self.begin() {
            tokio::spawn(run(Arc::clone(&self.shared), handlers, limit));
        }
        let mut report = self.shared.report.subscribe();
        // The sender is held here, so there will be one.
        let report = report.wait_for(Option::is_some).await.ok().and_then(|report| report.clone());
        report.unwrap_or_default()
    }

    /// The names that are not done, sorted: before a shutdown all that are registered.
    #[must_use]
    pub fn pending(&self) -> Vec<String> {
        self.shared.handlers().left.keys().cloned().collect()
    }

    /// The loops that were given this shutdown and have not returned, sorted by name.
    #[must_use]
    pub fn loops(&self) -> Vec<LoopStatus> {
        self.shared.loops.list()
    }

    pub(super) fn show(&self, name: &str) -> Shown {
        self.shared.loops.show(name)
    }

    /// Takes the handlers, if the shutdown has not begun.
    fn begin(&self) -> Option<Vec<(String, Handler)>> {
        let mut handlers = self.shared.handlers();
        if std::mem::replace(&mut handlers.begun, true) {
            return None;
        }
        let left = handlers.left.iter_mut();
        Some(left.filter_map(|(name, entry)| Some((name.clone(), entry.handler.take()?))).collect())
    }
}

impl fmt::Debug for GracefulShutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GracefulShutdown").field("pending", &self.pending()).finish_non_exhaustive()
    }
}

async fn run(shared: Arc<Shared>, handlers: Vec<(String, Handler)>, limit: Duration) {
    let begun = Instant::now();
    shared.abort.abort();
    let mut tasks = Vec::new();
    for (name, handler) in handlers {
        let ending = end(Arc::clone(&shared), name.clone(), handler);
        tasks.push((name, tokio::spawn(ending)));
    }
    let mut report = ShutdownReport::default();
    for (name, task) in tasks {
        // Without a limit that the clock can count to, there is none.
        let ended = match begun.checked_add(limit) {
            Some(deadline) => timeout_at(deadline, task).await,
            None => Ok(task.await),
        };
        let failure = match ended {
            Ok(Ok(Ok(()))) => continue,
            Ok(Ok(Err(failure))) => failure,
            Ok(Err(error)) => failure::of_task(error),
            Err(_) => {
                report.timed_out.push(name);
                continue;
            }
        };
        report.failed.push(Failed { name, error: failure::said(&failure) });
    }
    shared.report.send_replace(Some(report));
}

/// Runs one handler, which is not done until it has ended in one way or another.
async fn end(shared: Arc<Shared>, name: String, handler: Handler) -> Result<(), Failure> {
    let ended = in_task(async { handler().await }).await;
    shared.handlers().left.remove(&name);
    ended?
}

impl Shared {
    fn handlers(&self) -> MutexGuard<'_, Handlers> {
        // Nothing that could panic runs while it is held.
        self.handlers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A registered handler. Dropping it removes the handler, unless another one took its name or the
/// shutdown has begun.
#[must_use = "dropping it removes the handler"]
pub struct Registered {
    shared: Arc<Shared>,
    name: String,
    number: u64,
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut handlers = self.shared.handlers();
        let own = handlers.left.get(&self.name).is_some_and(|entry| entry.number == self.number);
        let removed = if own && !handlers.begun { handlers.left.remove(&self.name) } else { None };
        drop(handlers);
        drop(removed);
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registered").field("name", &self.name).finish_non_exhaustive()
    }
}
