use std::process::Command;
use std::time::{Duration, Instant};

use crate::Result;

/// How often everything is run.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Runs {
    /// Runs of each side; the median counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
}

/// Lets what was written reach the disk, so that nobody pays for somebody else's.
pub fn settle() {
    // Where there is no `sync` the figures are only noisier.
    let _ = Command::new("sync").status();
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

/// How long each of two takes, in turns who goes first, so that neither always meets what the other
/// left behind.
///
/// # Errors
///
/// What one of them fails with.
pub fn in_turns(
    run: u32,
    one: impl Fn() -> Result<()>,
    other: impl Fn() -> Result<()>,
) -> Result<(Duration, Duration)> {
    let measured = |work: &dyn Fn() -> Result<()>| {
        settle();
        timed(work)
    };
    let (one, other) = if run.is_multiple_of(2) {
        let one = measured(&one)?;
        (one, measured(&other)?)
    } else {
        let other = measured(&other)?;
        (measured(&one)?, other)
    };
    eprintln!("run {run}: {one:.1?} and {other:.1?}");
    Ok((one, other))
}
