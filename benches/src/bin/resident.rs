//! A resident daemon: what it does while nobody asks for anything, and what memory it takes, before
//! and after very many requests. It takes Linux, which tells such things in `/proc`.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::Parser;
use rig_benches::{Daemon, Report, Repository, Result, RigBinary, Sandbox};
use serde_json::{Value, json};

#[derive(Parser)]
struct Arguments {
    /// Requests
    #[arg(long, default_value_t = 100_000)]
    requests: u32,
    /// How many of a thousand requests write, each a record and an event
    #[arg(long, default_value_t = 1)]
    writes: u32,
    /// Times of 5 s in which it has nothing to do
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    windows: u32,
    #[command(flatten)]
    binary: RigBinary,
}

/// Memory of an idle daemon, in KiB.
const IDLE: f64 = 20.0 * 1024.0;

/// How long it is watched at once.
const WINDOW: Duration = Duration::from_secs(5);

/// What counts as growth, in KiB: an allocator keeps a little.
const GROWTH: f64 = 1024.0;

/// Requests that are on their way at once.
const OPEN: u32 = 32;

/// A client that asks without waiting for each answer.
struct Client {
    reader: BufReader<UnixStream>,
    next: u32,
}

impl Client {
    fn connect(status: &Value) -> Result<Self> {
        let socket = status["socket"].as_str().ok_or("the daemon tells no socket")?;
        let stream = UnixStream::connect(socket)?;
        let mut client = Self { reader: BufReader::new(stream), next: 0 };
        let hello = json!({
            "protocol": status["protocol"], "build": status["build"], "schema": 1, "agent": null,
        });
        client.say(&json!({ "hello": hello }))?;
        let answer = client.line()?;
        if answer["welcome"].is_null() { Err(answer.to_string().into()) } else { Ok(client) }
    }

    fn say(&mut self, what: &Value) -> Result<()> {
        Ok(self.reader.get_mut().write_all(format!("{what}\n").as_bytes())?)
    }

    fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Makes so many requests, to the answer of the last one.
    fn ask(&mut self, requests: u32, writes: u32, project: &str) -> Result<()> {
        let (mut asked, mut answered) = (0, 0);
        while answered < requests {
            while asked < requests && asked - answered < OPEN {
                let id = self.next;
                self.next += 1;
                asked += 1;
                self.say(&if id % 1000 * 7 % 1000 < writes {
                    let args = json!({ "project_id": project, "name": format!("name {id}") });
                    json!({ "id": id, "op": "rename_project", "args": args })
                } else {
                    json!({ "id": id, "op": "list_projects", "args": {} })
                })?;
            }
            let answer = self.line()?;
            if !answer["error"].is_null() {
                return Err(answer.to_string().into());
            }
            answered += u32::from(!answer["ok"].is_null());
        }
        Ok(())
    }
}

/// When anything in a folder was last written.
fn written(folder: &Path) -> Result<Option<SystemTime>> {
    let mut last = None;
    for entry in std::fs::read_dir(folder)? {
        last = last.max(Some(entry?.metadata()?.modified()?));
    }
    Ok(last)
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let sandbox = Sandbox::new(&arguments.binary)?;
    let repository = Repository::generate(&sandbox, 100, 1 << 20)?;
    let project = repository.rig(&["project", "add"])?;
    let daemon = Daemon::start(&repository)?;
    let status: Value = serde_json::from_str(&repository.rig(&["--json", "daemon", "status"])?)?;
    let mut report = Report::default();

    // Threads that served the calls above end within a second or so.
    std::thread::sleep(WINDOW);
    let before = written(&sandbox.path("state"))?;
    let mut wakes = Vec::new();
    for _ in 0..arguments.windows {
        let before = daemon.wakes()?;
        std::thread::sleep(WINDOW);
        // What a thread wakes others for belongs to the same wake.
        let since = |(thread, times): (&OsString, &u64)| times - before.get(thread).unwrap_or(&0);
        wakes.push(daemon.wakes()?.iter().map(since).max().unwrap_or_default());
    }
    eprintln!("wakes in {WINDOW:?} each: {wakes:?}");
    wakes.sort_unstable();
    let usual = u32::try_from(wakes[wakes.len() / 2])?;
    report.count("wakes of an idle daemon in 5 s", usual.into(), 1.0);
    let writes = u32::from(written(&sandbox.path("state"))? != before);
    report.count("writes of an idle daemon", writes.into(), 0.0);
    #[allow(clippy::cast_precision_loss)]
    let kib = |kib: u64| kib as f64;
    report.count("memory of an idle daemon, in KiB", kib(daemon.memory()?), IDLE);

    let mut client = Client::connect(&status)?;
    // What it needs at work, and each of its threads keeps, it may keep.
    client.ask(arguments.requests, arguments.writes, &project)?;
    let before = daemon.memory()?;
    client.ask(arguments.requests, arguments.writes, &project)?;
    let after = daemon.memory()?;
    eprintln!("{} requests: from {before} to {after} KiB", arguments.requests);
    let what = format!("growth over {} requests, in KiB", arguments.requests);
    report.count(&what, kib(after.saturating_sub(before)), GROWTH);
    drop(client);
    report.count("memory of a daemon after them, in KiB", kib(daemon.memory()?), IDLE);
    Ok(report.exit())
}
