//! A flag that ends waiting.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A flag that tells blocking work to end. Clones share the flag; once set it stays set.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<(Mutex<bool>, Condvar)>);

impl Cancel {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag and wakes everyone who pauses on it.
    pub fn cancel(&self) {
        *self.lock() = true;
        self.0.1.notify_all();
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.lock()
    }

    /// Blocks for `duration`, or until the flag is set; answers whether it is.
    #[must_use]
    pub fn pause(&self, duration: Duration) -> bool {
        let waited = self
            .0
            .1
            .wait_timeout_while(self.lock(), duration, |set| !*set);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        // A flag cannot be left half-written, so a panic elsewhere does not spoil it.
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
