//! What is done at once, in turn, again and again. Time is tokio's paused clock.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

mod abort_and_delay;
mod async_lock;
mod async_locks;
mod backoff;
mod forever;
mod forever_shown;
mod graceful_shutdown;

fn secs(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// What happened, in order, and when.
#[derive(Clone)]
struct Diary {
    begun: Instant,
    entries: Arc<Mutex<Vec<(f64, String)>>>,
}

impl Diary {
    fn new() -> Self {
        Self { begun: Instant::now(), entries: Arc::default() }
    }

    fn note(&self, what: &str) {
        let at = self.begun.elapsed().as_secs_f64();
        self.entries.lock().unwrap().push((at, what.to_owned()));
    }

    fn what(&self) -> Vec<String> {
        self.entries.lock().unwrap().iter().map(|(_, what)| what.clone()).collect()
    }

    fn when(&self) -> Vec<f64> {
        self.entries.lock().unwrap().iter().map(|(at, _)| *at).collect()
    }
}

/// Notes when it is dropped.
struct DropNoted(Diary, &'static str);

impl Drop for DropNoted {
    fn drop(&mut self) {
        self.0.note(self.1);
    }
}
