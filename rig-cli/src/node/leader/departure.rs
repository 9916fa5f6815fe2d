use std::sync::Arc;
use std::time::Duration;

use rig_core::concurrency::{GracefulShutdown, SHUTDOWN_LIMIT};
use rig_core::failpoint;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio::time::{Instant, timeout_at};

use super::bound::Bound;
use super::core::Core;
use super::lead::Opening;
use super::leave::{Leaving, Why};
use super::session::blocking;
use crate::node::error::{Error, Result};
use crate::node::lock::LockFile;

/// What is left of the time to leave for handing over.
const HANDING_OVER: Duration = Duration::from_millis(200);

/// What a leader that leaves still has.
pub(super) struct Departure {
    pub(super) why: Why,
    pub(super) leaving: Leaving,
    pub(super) lock: Arc<LockFile>,
    pub(super) bound: Arc<Bound>,
    pub(super) connections: JoinSet<()>,
    pub(super) open: JoinHandle<()>,
    pub(super) opened: watch::Receiver<Opening>,
    pub(super) shutdown: GracefulShutdown,
}

/// How a leader left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::node) struct Left {
    /// What was not waited for to its end, by name.
    pub(in crate::node) late: Vec<String>,
}

impl Departure {
    /// Ends what goes on, hands over, closes the store and gives the lock back, in this order. The
    /// socket takes no connections any more.
    pub(super) async fn run(mut self) -> Result<Left> {
        tracing::debug!(why = ?self.why, "leaving");
        failpoint!("leave.begin");
        let end = Instant::now() + SHUTDOWN_LIMIT;
        // Opening cannot be broken off. If it takes too long, whoever opens closes in the end, and
        // the lock is held until then.
        if timeout_at(end, &mut self.open).await.is_err() {
            return Ok(Left { late: vec!["opening".to_owned()] });
        }
        let opened = self.opened.borrow().clone();
        let core = match opened {
            Opening::Open(core) => Some(core),
            Opening::Going(_) | Opening::Failed(_) => None,
        };
        let late = self.end_all(core.as_ref()).await;
        failpoint!("leave.handed_over");
        let closed = match core {
            Some(core) => {
                let close = spawn_blocking(move || core.store.close());
                close.await.unwrap_or(Ok(())).map_err(Error::from)
            }
            None => Ok(()),
        };
        failpoint!("leave.closed");
        self.bound.unlink();
        failpoint!("leave.unlinked");
        self.lock.give_back()?;
        match self.why {
            Why::Failed(failure) => Err(Error::Failed(failure)),
            _ => closed.map(|()| Left { late }),
        }
    }

    /// Ends connections and what goes on in the background; answers who was late.
    async fn end_all(&mut self, core: Option<&Arc<Core>>) -> Vec<String> {
        let end = Instant::now() + self.why.limit();
        let finish = end - HANDING_OVER;
        let background = self.shutdown.shutdown(SHUTDOWN_LIMIT);
        let requests = async {
            if let Some(core) = core {
                let finished = core.requests.finished();
                let backlog = {
                    let core = Arc::clone(core);
                    blocking(move || core.fire_backlog(finish))
                };
                let (_, fired) =
                    tokio::join!(timeout_at(finish, finished), timeout_at(finish, backlog));
                if let Ok(Err(error)) = fired {
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(error, "cannot do what is due");
                }
            }
            self.leaving.hand_over();
            let all = async { while self.connections.join_next().await.is_some() {} };
            let all = timeout_at(end, all).await;
            let cut_off = core.map_or_else(Vec::new, |core| core.requests.working());
            if all.is_err() {
                self.connections.shutdown().await;
            }
            cut_off
        };
        let (report, cut_off) = tokio::join!(background, requests);
        let mut late = report.timed_out;
        late.extend(report.failed.into_iter().map(|failed| failed.name));
        late.extend(cut_off);
        late
    }
}
