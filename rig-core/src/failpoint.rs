//! Named points at which a build with the feature `failpoints` kills itself, so that tests see what
//! a crash there leaves behind. A normal build holds none of it.

#[cfg(feature = "failpoints")]
pub use armed::{arm, pass, set_sync_takes, sync};

/// Marks a point by its name, such as `batch.before_commit`: the process dies there if the point is
/// armed. Without the feature `failpoints` of rig-core it is nothing, whoever uses it.
#[cfg(feature = "failpoints")]
#[macro_export]
macro_rules! failpoint {
    ($name:literal) => {
        $crate::failpoint::pass($name)
    };
}

/// Marks a point by its name, such as `batch.before_commit`: the process dies there if the point is
/// armed. Without the feature `failpoints` of rig-core it is nothing, whoever uses it.
#[cfg(not(feature = "failpoints"))]
#[macro_export]
macro_rules! failpoint {
    ($name:literal) => {};
}

#[cfg(feature = "failpoints")]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use rustix::process::{Signal, getpid, kill_process};

    struct Point {
        name: String,
        /// Passes until it kills, that one included.
        left: AtomicU64,
    }

    static ARMED: OnceLock<Point> = OnceLock::new();
    static SYNC_TAKES: AtomicU64 = AtomicU64::new(0);

    /// Arms one point for as long as the process lives: `name`, or `name:n` for its n-th pass.
    ///
    /// # Errors
    ///
    /// If `n` is no number from 1 on, or a point is armed already.
    pub fn arm(point: &str) -> Result<(), &'static str> {
        let (name, passes) = match point.split_once(':') {
            Some((name, passes)) => (name, passes.parse().ok().filter(|passes| *passes > 0)),
            None => (point, Some(1)),
        };
        let left = AtomicU64::new(passes.ok_or("the number of passes is a number from 1 on")?);
        let point = Point { name: name.to_owned(), left };
        ARMED.set(point).map_err(|_| "a point is armed already")
    }

    /// Passes a point; the process does not survive that if it is armed and this is its turn.
    pub fn pass(name: &str) {
        let armed = ARMED.get().filter(|point| point.name == name);
        if armed.is_some_and(|point| point.left.fetch_sub(1, Ordering::SeqCst) == 1) {
            // A signal to itself is delivered before the call returns, at least to this thread.
            let _ = kill_process(getpid(), Signal::KILL);
            loop {
                std::hint::spin_loop();
            }
        }
    }

    /// From here on each sync of a store's file takes so much longer, in whole milliseconds.
    pub fn set_sync_takes(longer: Duration) {
        let ms = u64::try_from(longer.as_millis()).unwrap_or(u64::MAX);
        SYNC_TAKES.store(ms, Ordering::Relaxed);
    }

    /// Takes as long as a sync is to take.
    // A disk that is slow blocks whoever waits for it.
    #[allow(clippy::disallowed_methods)]
    pub fn sync() {
        let ms = SYNC_TAKES.load(Ordering::Relaxed);
        if ms > 0 {
            std::thread::sleep(Duration::from_millis(ms));
        }
    }
}
