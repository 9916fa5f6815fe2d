//! A flag that ends waiting.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a pause looks at what cannot wake it.
const LOOK: Duration = Duration::from_millis(50);

/// A flag that tells blocking work to end. Clones share the flag; once set it stays set.
#[derive(Clone, Default)]
pub struct Cancel {
    flag: Arc<(Mutex<bool>, Condvar)>,
    probe: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Cancel {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same flag, which also counts as set while `probe` says so. The probe is asked many times
    /// a second, so it must be quick.
    #[must_use]
    pub fn or_when(&self, probe: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let outer = self.probe.clone();
        let probe = move || outer.as_ref().is_some_and(|outer| outer()) || probe();
        Self { flag: Arc::clone(&self.flag), probe: Some(Arc::new(probe)) }
    }

    /// Sets the flag and wakes everyone who pauses on it.
    pub fn cancel(&self) {
        *self.lock() = true;
        self.flag.1.notify_all();
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.lock() || self.probe.as_ref().is_some_and(|probe| probe())
    }

    /// Blocks for `duration`, or until the flag is set; answers whether it is.
    #[must_use]
    pub fn pause(&self, duration: Duration) -> bool {
        let mut left = duration;
        loop {
            let slice = if self.probe.is_some() { left.min(LOOK) } else { left };
            let waited = self.flag.1.wait_timeout_while(self.lock(), slice, |set| !*set);
            let set = *waited.unwrap_or_else(PoisonError::into_inner).0;
            left = left.saturating_sub(slice);
            if set || self.is_cancelled() {
                return true;
            }
            if left.is_zero() {
                return false;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        // A flag cannot be left half-written, so a panic elsewhere does not spoil it.
        self.flag.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel").field("set", &*self.lock()).finish_non_exhaustive()
    }
}
