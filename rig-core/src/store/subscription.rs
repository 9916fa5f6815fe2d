use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Rings once events are committed.
#[derive(Debug, Default)]
pub(super) struct Bell {
    rung: Mutex<Rung>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Rung {
    times: u64,
    closed: bool,
}

impl Bell {
    /// Rings if there are events.
    pub(super) fn ring(&self, events: usize) {
        if events > 0 {
            self.lock().times += 1;
            self.changed.notify_all();
        }
    }

    /// Nothing rings any more.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Rung> {
        // A counter cannot be left half-written.
        self.rung.lock().unwrap_or_else(PoisonError::into_inner)
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
