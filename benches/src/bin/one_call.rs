//! One `rig` that writes, one that reads, with and without a resident daemon, against
//! `git rev-parse HEAD`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rig_benches::{
    Daemon, ModelledSync, Report, Repository, Result, RigBinary, Runs, Sandbox, median, timed,
};

#[derive(Parser)]
struct Arguments {
    /// Calls of each kind in each run
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    calls: u32,
    #[command(flatten)]
    sync: ModelledSync,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    binary: RigBinary,
}

/// What so many calls took.
#[derive(Default)]
struct Times {
    reads: Vec<Duration>,
    writes: Vec<Duration>,
    git: Vec<Duration>,
}

impl Times {
    fn measure(&mut self, repository: &Repository<'_>, calls: u32, run: u32) -> Result<()> {
        for call in 0..calls {
            self.git.push(timed(|| repository.git(&["rev-parse", "HEAD"]).map(drop))?);
            self.reads.push(timed(|| repository.rig(&["project", "list"]).map(drop))?);
            let name = format!("name {run} {call}");
            let rename = ["project", "rename", ".", &name];
            self.writes.push(timed(|| repository.rig(&rename).map(drop))?);
        }
        Ok(())
    }
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let sandbox = Sandbox::modelled(&arguments.binary, arguments.sync)?;
    let repository = Repository::generate(&sandbox, 100, 1 << 20)?;
    repository.rig(&["project", "add"])?;
    let (mut alone, mut resident) = (Times::default(), Times::default());
    for run in 0..arguments.runs.runs {
        alone.measure(&repository, arguments.calls, 2 * run)?;
        let _daemon = Daemon::start(&repository)?;
        resident.measure(&repository, arguments.calls, 2 * run + 1)?;
    }
    let mut report = Report::default();
    let git = median(resident.git.into_iter().chain(alone.git).collect());
    for (what, times, most) in [
        ("one rig that reads, with a daemon", median(resident.reads), 5),
        ("one rig that writes, with a daemon", median(resident.writes), 5),
        ("one rig that reads, without", median(alone.reads), 20),
        ("one rig that writes, without", median(alone.writes), 20),
    ] {
        report.time(what, times, Duration::from_millis(most));
        if most == 5 {
            report.ratio(what, times, ("git rev-parse HEAD", git), 2.0);
        }
    }
    Ok(report.exit())
}
