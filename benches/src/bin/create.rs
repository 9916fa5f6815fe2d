//! `rig workspace create` to ready, and its answer with `--no-wait`, against `git worktree add` of
//! the same commit.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rig_benches::{
    Report, Repository, Result, RigBinary, Runs, Sandbox, in_turns, median, settle, timed,
};

#[derive(Parser)]
struct Arguments {
    /// Files in the repository
    #[arg(long, default_value_t = 20_000)]
    files: u32,
    /// Size of the repository's files together
    #[arg(long, default_value_t = 200)]
    mebibytes: u64,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    binary: RigBinary,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let sandbox = Sandbox::new(&arguments.binary)?;
    let repository = Repository::generate(&sandbox, arguments.files, arguments.mebibytes << 20)?;
    let (mut ours, mut plain, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..arguments.runs.runs {
        let name = format!("run-{run}");
        let (theirs, our) = in_turns(
            run,
            || repository.plain_add(&name),
            || repository.rig(&["workspace", "create", &name, "--base", "main"]).map(drop),
        )?;
        plain.push(theirs);
        ours.push(our);
        repository.plain_remove(&name)?;
        repository.rig(&["workspace", "archive", &name])?;
        settle();
        let name = format!("answer-{run}");
        answers.push(timed(|| {
            repository.rig(&["workspace", "create", &name, "--base", "main", "--no-wait"]).map(drop)
        })?);
        repository.rig(&["workspace", "archive", &name])?;
    }
    let mut report = Report::default();
    let plain = ("git worktree add", median(plain));
    report.ratio("rig workspace create", median(ours), plain, 0.75);
    let most = Duration::from_millis(50);
    report.time("rig workspace create --no-wait", median(answers), most);
    Ok(report.exit())
}
