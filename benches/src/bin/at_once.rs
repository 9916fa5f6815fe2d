//! Many `rig workspace create` started at once in one repository, against as many plain
//! `git worktree add` one after the other.

use std::process::ExitCode;

use clap::Parser;
use rig_benches::{Report, Repository, Result, RigBinary, Runs, Sandbox, in_turns, median};

#[derive(Parser)]
struct Arguments {
    /// Workspaces created at once
    #[arg(long, default_value_t = 24)]
    creates: u32,
    /// Files in the repository
    #[arg(long, default_value_t = 2000)]
    files: u32,
    /// Size of the repository's files together
    #[arg(long, default_value_t = 20)]
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
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for run in 0..arguments.runs.runs {
        let names: Vec<_> = (0..arguments.creates).map(|n| format!("run-{run}-{n}")).collect();
        let create = |name: &String| {
            ["workspace", "create", name, "--base", "main"].map(str::to_owned).to_vec()
        };
        let creates: Vec<_> = names.iter().map(create).collect();
        let (theirs, our) = in_turns(
            run,
            || names.iter().try_for_each(|name| repository.plain_add(name)),
            || repository.rig_at_once(&creates),
        )?;
        plain.push(theirs);
        ours.push(our);
        for name in &names {
            repository.plain_remove(name)?;
            repository.rig(&["workspace", "archive", name])?;
        }
    }
    let mut report = Report::default();
    let what = format!("{} rig workspace create at once", arguments.creates);
    let plain = ("git worktree add one after the other", median(plain));
    report.ratio(&what, median(ours), plain, 1.1);
    Ok(report.exit())
}
