use std::time::Duration;

use tokio::time::Instant;

/// How often what goes on by itself wakes an idle leader.
pub(super) const BEAT: Duration = Duration::from_secs(5);

/// The moments at which an idle leader wakes: what naps ends its nap at one of them, so that all of
/// it wakes the process once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beat(Instant);

impl Beat {
    /// Beats that are counted from now.
    pub(super) fn new() -> Self {
        Self(Instant::now())
    }

    /// The longest nap of at most so long that ends with a beat; to the next one if none is that near.
    pub(super) fn within(self, at_most: Duration) -> Duration {
        nap(self.0.elapsed(), at_most)
    }
}

fn nap(passed: Duration, at_most: Duration) -> Duration {
    let beats = |time: Duration| u32::try_from(time.as_nanos() / BEAT.as_nanos()).unwrap_or(0);
    let last = beats(passed.saturating_add(at_most)).max(beats(passed).saturating_add(1));
    BEAT.saturating_mul(last).saturating_sub(passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn naps_end_with_a_beat() {
        let seconds = Duration::from_secs_f64;
        for (passed, at_most, expected) in [
            (0.0, 5.0, 5.0),
            (5.002, 5.0, 4.998),
            (7.0, 30.0, 28.0),
            (35.5, 30.0, 29.5),
            (4.0, 0.5, 1.0),
            (86_400.25, 30.0, 29.75),
        ] {
            assert_eq!(nap(seconds(passed), seconds(at_most)), seconds(expected));
        }
    }
}
