use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::operation::caught;

type Listener = dyn Fn() + Send + Sync;

/// Rings once events are committed.
#[derive(Default)]
pub(super) struct Bell {
    rung: Mutex<Rung>,
    changed: Condvar,
    listeners: Mutex<Vec<Weak<Listener>>>,
}

#[derive(Debug, Default)]
struct Rung {
    times: u64,
    closed: bool,
}

impl fmt::Debug for Bell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bell").field("rung", &self.rung).finish_non_exhaustive()
    }
}

impl Bell {
    /// Rings if there are events.
    pub(super) fn ring(&self, events: usize) {
        if events > 0 {
            self.lock().times += 1;
            self.changed.notify_all();
            self.call();
        }
    }

    /// Nothing rings any more.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
        self.call();
    }

    /// Calls the listeners that are left, outside of every lock.
    pub(super) fn call(&self) {
        let mut listeners = self.listeners();
        listeners.retain(|listener| listener.strong_count() > 0);
        let called: Vec<_> = listeners.iter().filter_map(Weak::upgrade).collect();
        drop(listeners);
        for listener in called {
            // Its panic is nobody else's business.
            let _ = caught(|| listener());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Rung> {
        // A counter cannot be left half-written.
        self.rung.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<Weak<Listener>>> {
        // Nothing panics while it holds the lock.
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a function called when there is something new; dropping it ends that.
#[must_use = "nothing is told any more once it is dropped"]
pub struct Listening(#[expect(dead_code, reason = "it is only kept")] Arc<Listener>);

impl Listening {
    pub(super) fn to(bell: &Bell, told: Arc<Listener>) -> Self {
        bell.listeners().push(Arc::downgrade(&told));
        Self(told)
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listening")
    }
}

/// Tells that there are new events, and never which: whoever is told reads the journal from its
/// cursor. However many commits there were in between, it is told once.
#[derive(Debug)]
pub struct Subscription {
    bell: Arc<Bell>,
    seen: u64,
}

impl Subscription {
    pub(super) fn to(bell: &Arc<Bell>) -> Self {
        let seen = bell.lock().times;
        Self { bell: Arc::clone(bell), seen }
    }

    /// Whether there are events since the last time this was asked.
    pub fn look_again(&mut self) -> bool {
        self.wait(Duration::ZERO)
    }

    /// Blocks until there are events, the store is closed, or `at_most` is over; answers whether
    /// there are events.
    pub fn wait(&mut self, at_most: Duration) -> bool {
        let quiet = |rung: &mut Rung| rung.times == self.seen && !rung.closed;
        let waited = self.bell.changed.wait_timeout_while(self.bell.lock(), at_most, quiet);
        let times = waited.unwrap_or_else(PoisonError::into_inner).0.times;
        std::mem::replace(&mut self.seen, times) != times
    }
}
