//! Many `rig` that write, started at once: without a daemon, with one, and one after the other, where
//! each opens the store for itself.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rig_benches::{
    Daemon, ModelledSync, Report, Repository, Result, RigBinary, Runs, Sandbox, median, timed,
};

#[derive(Parser)]
struct Arguments {
    /// Processes at once; the targets are for 24 and 100
    #[arg(long, value_delimiter = ',', default_values_t = [24, 100])]
    processes: Vec<u32>,
    #[command(flatten)]
    sync: ModelledSync,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    binary: RigBinary,
}

/// Whom the messages are for; nobody of this name is there.
const AGENT: &str = "agt_01m8nsvd62f67tndkxwnbwbx30";

/// How long all may take without a daemon.
fn most(processes: u32) -> Duration {
    Duration::from_millis(if processes <= 24 { 80 } else { 250 })
}

/// Commands that each schedule a message for later.
fn writes(processes: u32) -> Vec<Vec<String>> {
    let write = |number: u32| {
        let text = format!("message {number}");
        ["schedule", "send", AGENT, &text, "--in", "8h"].map(str::to_owned).to_vec()
    };
    (0..processes).map(write).collect()
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let sandbox = Sandbox::modelled(&arguments.binary, arguments.sync)?;
    let repository = Repository::generate(&sandbox, 100, 1 << 20)?;
    // What is measured is not the making of the store.
    repository.rig(&["project", "add"])?;
    let mut report = Report::default();
    for processes in arguments.processes {
        let (mut at_once, mut resident, mut in_turn) = (Vec::new(), Vec::new(), Vec::new());
        let all = writes(processes);
        for run in 0..arguments.runs.runs {
            at_once.push(timed(|| repository.rig_at_once(&all))?);
            let daemon = Daemon::start(&repository)?;
            resident.push(timed(|| repository.rig_at_once(&all))?);
            drop(daemon);
            in_turn.push(timed(|| {
                all.iter().try_for_each(|write| {
                    let write: Vec<_> = write.iter().map(String::as_str).collect();
                    repository.rig(&write).map(drop)
                })
            })?);
            let last = |times: &[Duration]| times.last().copied().unwrap_or_default();
            eprintln!(
                "run {run}: {:.1?}, with a daemon {:.1?}, in turn {:.1?}",
                last(&at_once),
                last(&resident),
                last(&in_turn)
            );
        }
        let what = format!("{processes} rig at once, without a daemon");
        let at_once = median(at_once);
        report.time(&what, at_once, most(processes));
        report.ratio(&what, at_once, ("each in turn", median(in_turn)), 0.25);
        report.ratio(&what, at_once, ("with a daemon", median(resident)), 1.6);
    }
    Ok(report.exit())
}
