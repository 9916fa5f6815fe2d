//! How long a change of a synced file takes to reach every ready workspace, with a resident daemon.

use std::path::PathBuf;
use std::process::{Child, ExitCode};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Parser;
use rig_benches::{Report, Repository, Result, RigBinary, Runs, Sandbox, median, settle, timed};

/// Longer than anything takes that is not stuck.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Parser)]
struct Arguments {
    /// Ready workspaces
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    workspaces: u32,
    /// Files in the repository
    #[arg(long, default_value_t = 100)]
    files: u32,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    binary: RigBinary,
}

/// The daemon, which is ended however the measuring ends.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let sandbox = Sandbox::new(&arguments.binary)?;
    let repository = Repository::generate(&sandbox, arguments.files, 1 << 20)?;
    let source = repository.folder().join(".env");
    std::fs::write(repository.folder().join("rig.toml"), "workspace.sync = ['.env']\n")?;
    std::fs::write(&source, "first\n")?;
    let daemon = sandbox.rig(repository.folder()).args(["daemon", "run"]).spawn();
    let _daemon = Daemon(daemon?);
    let copies = (0..arguments.workspaces)
        .map(|number| {
            let name = format!("bench {number}");
            let path = repository.rig(&["workspace", "create", &name, "--base", "main"])?;
            Ok(PathBuf::from(path).join(".env"))
        })
        .collect::<Result<Vec<_>>>()?;
    until(&copies, "first\n")?;
    settle();
    let mut times = Vec::new();
    for run in 0..arguments.runs.runs.max(2) {
        let content = format!("change {}\n", "of another length ".repeat(run as usize));
        times.push(timed(|| {
            std::fs::write(&source, &content)?;
            until(&copies, &content)
        })?);
    }
    let mut report = Report::default();
    let what = format!("a change in {} workspaces", arguments.workspaces);
    report.time(&what, median(times), Duration::from_secs(1));
    Ok(report.exit())
}

/// Waits until all of the files have this content.
fn until(copies: &[PathBuf], content: &str) -> Result<()> {
    let begun = Instant::now();
    for copy in copies {
        while std::fs::read_to_string(copy).ok().as_deref() != Some(content) {
            if begun.elapsed() > PATIENCE {
                return Err(format!("{} never became {content:?}", copy.display()).into());
            }
            sleep(Duration::from_millis(1));
        }
    }
    Ok(())
}
