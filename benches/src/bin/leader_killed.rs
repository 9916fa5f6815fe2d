//! Many `rig` at once, of which the leader is killed with SIGKILL: how long the others take.

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use rig_benches::{ModelledSync, Report, Repository, Result, RigBinary, Runs, Sandbox, median};
use rustix::process::{Pid, Signal, kill_process};

#[derive(Parser)]
struct Arguments {
    /// Processes at once
    #[arg(long, default_value_t = 24)]
    processes: u32,
    #[command(flatten)]
    sync: ModelledSync,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    binary: RigBinary,
}

/// Whom the messages are for; nobody of this name is there.
const AGENT: &str = "agt_01m8nsvd62f67tndkxwnbwbx30";

/// The process in the lock file.
fn leader(sandbox: &Sandbox) -> Option<u64> {
    let body = std::fs::read(sandbox.path("state").join("rig.lock")).ok()?;
    serde_json::from_slice::<serde_json::Value>(&body).ok()?["pid"].as_u64()
}

/// Kills whoever among these leads, after so long; answers whether somebody did.
fn kill_leader(sandbox: &Sandbox, pids: &[u32], after: Duration) -> Result<bool> {
    let began = Instant::now();
    while began.elapsed() < after {
        thread::yield_now();
    }
    while began.elapsed() < Duration::from_secs(1) {
        let found = pids.iter().find(|pid| Some(u64::from(**pid)) == leader(sandbox));
        if let Some(pid) = found.and_then(|pid| Pid::from_raw(i32::try_from(*pid).ok()?)) {
            kill_process(pid, Signal::KILL)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// How long each of them took that was not killed, and how many were.
fn storm(
    sandbox: &Sandbox,
    repository: &Repository<'_>,
    processes: u32,
    run: u32,
) -> Result<(Vec<Duration>, usize)> {
    let began = Instant::now();
    let mut children = Vec::new();
    for number in 0..processes {
        let text = format!("message {number}");
        let write = ["schedule", "send", AGENT, &text, "--in", "8h"];
        children.push(repository.rig_command(&write).spawn()?);
    }
    let pids: Vec<_> = children.iter().map(std::process::Child::id).collect();
    // Nobody is waited for before the kill, so that the numbers are still theirs.
    kill_leader(sandbox, &pids, Duration::from_millis(u64::from(run % 5)))?;
    let ends: Vec<_> = children
        .into_iter()
        .map(|child| thread::spawn(move || (child.wait_with_output(), began.elapsed())))
        .collect();
    let (mut times, mut killed) = (Vec::new(), 0);
    for end in ends {
        let (output, after) = end.join().map_err(|_| "a thread panicked")?;
        let output = output?;
        match output.status.code() {
            Some(0) => times.push(after),
            None => killed += 1,
            Some(code) => {
                let said = String::from_utf8_lossy(&output.stderr);
                return Err(format!("one ended with {code}: {said}").into());
            }
        }
    }
    Ok((times, killed))
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let sandbox = Sandbox::modelled(&arguments.binary, arguments.sync)?;
    let repository = Repository::generate(&sandbox, 100, 1 << 20)?;
    repository.rig(&["project", "add"])?;
    let (mut all, mut killed) = (Vec::new(), 0);
    for run in 0..arguments.runs.runs.max(5) * 4 {
        let (times, dead) = storm(&sandbox, &repository, arguments.processes, run)?;
        eprintln!("run {run}: {dead} killed, the last one after {:.1?}", times.iter().max());
        all.extend(times);
        killed += dead;
    }
    if killed == 0 {
        return Err("no leader was killed".into());
    }
    let mut report = Report::default();
    let worst = all.iter().max().copied().unwrap_or_default();
    report.time("a rig whose leader was killed, median", median(all), Duration::from_millis(150));
    report.time("a rig whose leader was killed, worst", worst, Duration::from_secs(1));
    Ok(report.exit())
}
