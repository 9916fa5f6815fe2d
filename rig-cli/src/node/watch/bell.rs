use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Says that there is something to copy, and wakes the loop that does.
#[derive(Debug, Default)]
pub(super) struct Bell {
    rung: AtomicBool,
    wake: Arc<Notify>,
}

impl Bell {
    pub(super) fn ring(&self) {
        self.set();
        self.wake.notify_one();
    }

    /// Leaves it to the next look, whenever that is.
    pub(super) fn set(&self) {
        self.rung.store(true, Ordering::SeqCst);
    }

    /// Whether it rang since this was last asked.
    pub(super) fn has_rung(&self) -> bool {
        self.rung.swap(false, Ordering::SeqCst)
    }

    pub(super) fn wake(&self) -> Arc<Notify> {
        Arc::clone(&self.wake)
    }
}
