use std::time::{Duration, Instant};

use crate::Result;

/// How often everything is run.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Runs {
    /// Runs of each side; the median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
}

/// How long `work` takes.
///
/// # Errors
///
/// What `work` fails with.
pub fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// The time in the middle; of an even number the later of the two.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
