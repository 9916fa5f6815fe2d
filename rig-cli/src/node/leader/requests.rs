use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The requests that a leader works on.
#[derive(Clone, Debug, Default)]
pub(in crate::node) struct Requests(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    open: Mutex<Open>,
    /// The last short one is done.
    finished: Notify,
}

#[derive(Debug, Default)]
struct Open {
    /// How many, by operation.
    short: BTreeMap<String, usize>,
    /// Those that wait, of clients of the leader's own build.
    held: usize,
}

impl Requests {
    /// A short request is worked on, until what is returned is dropped.
    pub(super) fn short(&self, operation: &str) -> Working {
        *self.lock().short.entry(operation.to_owned()).or_default() += 1;
        Working { requests: self.clone(), operation: Some(operation.to_owned()) }
    }

    /// A request of a client of the leader's own build waits, until what is returned is dropped.
    pub(super) fn held(&self) -> Working {
        self.lock().held += 1;
        Working { requests: self.clone(), operation: None }
    }

    /// The operations of the short ones.
    pub(super) fn working(&self) -> Vec<String> {
        self.lock().short.keys().cloned().collect()
    }

    /// Waits until no short one is worked on.
    pub(super) async fn finished(&self) {
        loop {
            let mut finished = std::pin::pin!(self.0.finished.notified());
            // From here on none is missed.
            finished.as_mut().enable();
            if self.lock().short.is_empty() {
                return;
            }
            finished.await;
        }
    }

    /// Whether somebody of the leader's own build waits.
    pub(in crate::node) fn any_held(&self) -> bool {
        self.lock().held > 0
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing panics while it is held.
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request is open, until this is dropped.
#[derive(Debug)]
pub(super) struct Working {
    requests: Requests,
    operation: Option<String>,
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut open = self.requests.lock();
        let Some(operation) = &self.operation else {
            open.held -= 1;
            return;
        };
        if let Some(count) = open.short.get_mut(operation) {
            *count -= 1;
            if *count == 0 {
                open.short.remove(operation);
            }
        }
        let finished = open.short.is_empty();
        drop(open);
        if finished {
            self.requests.0.finished.notify_waiters();
        }
    }
}
