use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rig_benches::Result;

/// What callers at once got done.
#[derive(Debug)]
pub(crate) struct Load {
    /// How long each operation took, the shortest first.
    latencies: Vec<Duration>,
    operations: f64,
    took: Duration,
}

impl Load {
    /// How many operations there were.
    pub(crate) fn operations(&self) -> f64 {
        self.operations
    }

    /// Operations a second.
    pub(crate) fn rate(&self) -> f64 {
        self.operations / self.took.as_secs_f64()
    }

    /// What 99 of 100 operations took at most.
    pub(crate) fn p99(&self) -> Duration {
        self.latencies[self.latencies.len() * 99 / 100]
    }
}

/// The rate in the middle.
pub(crate) fn median_rate(loads: &[Load]) -> f64 {
    let mut rates: Vec<_> = loads.iter().map(Load::rate).collect();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// Lets so many threads do one operation after the other for as long as `limit`; each operation has
/// a number of its own.
pub(crate) fn load(
    callers: usize,
    limit: Duration,
    operation: impl Fn(u64) -> Result<()> + Sync,
) -> Result<Load> {
    let next = AtomicU32::new(0);
    let start = Instant::now();
    let caller = || {
        let mut latencies = Vec::new();
        while start.elapsed() < limit {
            let began = Instant::now();
            let key = u64::from(next.fetch_add(1, Ordering::Relaxed));
            operation(key).map_err(|error| error.to_string())?;
            latencies.push(began.elapsed());
        }
        Ok::<_, String>(latencies)
    };
    let mut latencies = thread::scope(|scope| {
        let threads: Vec<_> = (0..callers).map(|_| scope.spawn(caller)).collect();
        threads.into_iter().try_fold(Vec::new(), |mut all, thread| {
            all.extend(thread.join().expect("nobody panics")?);
            Ok::<_, String>(all)
        })
    })?;
    latencies.sort_unstable();
    let operations = f64::from(u32::try_from(latencies.len())?);
    Ok(Load { latencies, operations, took: start.elapsed() })
}
