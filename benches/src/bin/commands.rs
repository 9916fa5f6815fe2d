//! `rig workspace list`, `rig workspace path` and `rig --version` with many workspaces, against
//! `git worktree list` in the same repository.

use std::process::ExitCode;

use clap::Parser;
use rig_benches::{Report, Repository, Result, RigBinary, Runs, Sandbox, median, settle, timed};

#[derive(Parser)]
struct Arguments {
    /// Workspaces in the repository
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    workspaces: u32,
    /// Files in the repository
    #[arg(long, default_value_t = 100)]
    files: u32,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    binary: RigBinary,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let sandbox = Sandbox::new(&arguments.binary)?;
    let repository = Repository::generate(&sandbox, arguments.files, 1 << 20)?;
    for number in 0..arguments.workspaces {
        let name = format!("bench {number}");
        repository.rig(&["workspace", "create", &name, "--base", "main"])?;
    }
    let key = format!("bench-{}", arguments.workspaces / 2);
    let commands: [&[&str]; 3] =
        [&["workspace", "list"], &["workspace", "path", &key], &["--version"]];
    let listed = repository.git(&["worktree", "list"])?.lines().count();
    assert_eq!(listed, arguments.workspaces as usize + 1, "each workspace is a worktree");
    settle();
    let mut plain = Vec::new();
    let mut ours = [Vec::new(), Vec::new(), Vec::new()];
    // They take milliseconds: more runs cost nothing and say more.
    for _ in 0..arguments.runs.runs.max(31) {
        plain.push(timed(|| repository.git(&["worktree", "list"]).map(drop))?);
        for (command, times) in commands.iter().zip(&mut ours) {
            times.push(timed(|| repository.rig(command).map(drop))?);
        }
    }
    let mut report = Report::default();
    let plain = median(plain);
    for (command, times) in commands.iter().zip(ours) {
        let what = format!("rig {}", command.join(" "));
        report.ratio(&what, median(times), ("git worktree list", plain), 1.5);
    }
    Ok(report.exit())
}
