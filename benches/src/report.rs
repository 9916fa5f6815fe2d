use std::process::ExitCode;
use std::time::Duration;

/// Prints what was measured and remembers how it went.
#[derive(Debug, Default)]
pub struct Report {
    missed_by_far: bool,
}

impl Report {
    /// A time against the time of something else, which it may take `most` times.
    pub fn ratio(&mut self, what: &str, ours: Duration, theirs: (&str, Duration), most: f64) {
        let ratio = ours.as_secs_f64() / theirs.1.as_secs_f64();
        let figures = format!(
            "{what}: {ours:.1?}, {}: {:.1?}: {ratio:.2} times (target at most {most})",
            theirs.0, theirs.1
        );
        self.verdict(&figures, ratio <= most, ratio > 2.0 * most);
    }

    /// A time that may be `most`.
    pub fn time(&mut self, what: &str, ours: Duration, most: Duration) {
        let figures = format!("{what}: {ours:.1?} (target at most {most:?})");
        self.verdict(&figures, ours <= most, ours > 2 * most);
    }

    /// A rate against the rate of something else, of which it must be `least` times.
    pub fn gain(&mut self, what: &str, ours: f64, theirs: (&str, f64), least: f64) {
        let gain = ours / theirs.1;
        let figures = format!(
            "{what}: {ours:.0}/s, {}: {:.0}/s: {gain:.1} times (target at least {least})",
            theirs.0, theirs.1
        );
        self.verdict(&figures, gain >= least, gain < least / 2.0);
    }

    /// A rate that must be `least`.
    pub fn rate(&mut self, what: &str, ours: f64, least: f64) {
        let figures = format!("{what}: {ours:.0}/s (target at least {least})");
        self.verdict(&figures, ours >= least, ours < least / 2.0);
    }

    /// A number that may be `most`.
    pub fn count(&mut self, what: &str, ours: f64, most: f64) {
        let figures = format!("{what}: {ours:.2} (target at most {most})");
        self.verdict(&figures, ours <= most, ours > 2.0 * most);
    }

    fn verdict(&mut self, figures: &str, passed: bool, missed_by_far: bool) {
        println!("{} {figures}", if passed { "PASS" } else { "MISS" });
        self.missed_by_far |= missed_by_far;
    }

    /// 1 if a target was missed by a factor of two.
    #[must_use]
    pub fn exit(&self) -> ExitCode {
        if self.missed_by_far { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}
