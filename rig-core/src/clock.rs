//! Where the time comes from: a clock is handed in and read once per operation.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::time::Timestamp;

/// Tells the wall-clock time.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time now, cut down to whole milliseconds.
    fn now(&self) -> Timestamp;
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    // The one place that reads the clock.
    #[allow(clippy::disallowed_methods)]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::default().checked_add(since).unwrap_or_default()
    }
}

/// A clock that stands still until it is moved; for tests.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that stands at `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.as_millis()))
    }

    /// Moves the clock forward, as far as there are instants.
    pub fn advance(&self, by: Duration) {
        if let Some(later) = self.now().checked_add(by) {
            self.set(later);
        }
    }

    /// Sets the clock, forward or back.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_millis(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst)).unwrap_or_default()
    }
}

/// When something that must not take for ever has taken long enough. It is measured on a clock that
/// nobody can set, so that a step of the wall clock neither ends nor prolongs anything.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    started: Instant,
    limit: Duration,
}

impl Deadline {
    /// A deadline that passes once `limit` is over.
    #[must_use]
    // The other place that reads a clock: a time-out is real time in tests too.
    #[allow(clippy::disallowed_methods)]
    pub fn after(limit: Duration) -> Self {
        Self { started: Instant::now(), limit }
    }

    /// How long it has been running.
    #[must_use]
    #[allow(clippy::disallowed_methods)]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How long there is left; zero once it has passed.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.elapsed())
    }

    /// Whether it has passed.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.left().is_zero()
    }
}
