//! Keeps the latest value of each of some sources: every fifteen minutes each one's command is run,
//! all sources in parallel, and what it printed is kept in memory with the time of capture.
//!
//! ```text
//! latest_values [--every DURATION] SOCKET NAME=COMMAND...
//! latest_values /tmp/values.sock load="cat /proc/loadavg" trunk="git ls-remote origin main"
//! ```
//!
//! Whoever connects to the Unix socket gets the values, one line of JSON a source, and the connection
//! ends. A source that fails keeps its last value, tells its error beside it, and is tried again with
//! growing pauses; it holds up no other. TERM and INT end the program once the commands that run are
//! done, after ten seconds at most.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rig_core::clock::{Clock as _, SystemClock};
use rig_core::concurrency::{
    Failure, Forever, GracefulShutdown, SHUTDOWN_LIMIT, abort, delay, forever, graceful_shutdown,
};
use rig_core::time::Timestamp;
use serde::Serialize;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{UnixListener, UnixStream};
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};

/// From the end of one capture to the start of the next.
const EVERY: Duration = Duration::from_mins(15);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(env::args().skip(1)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("latest_values: {error}");
            ExitCode::from(2)
        }
    }
}

async fn run(args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let asked = Asked::read(args)?;
    let (mut terminated, mut interrupted) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let listener = UnixListener::bind(&asked.socket)?;
    let shutdown = graceful_shutdown(abort());
    let values = Values::default();
    for (name, command) in asked.sources {
        capture_forever(&shutdown, &values, name, command, asked.every);
    }
    println!("listening on {}", asked.socket.display());
    loop {
        tokio::select! {
            connected = listener.accept() => match connected {
                Ok((stream, _)) => {
                    tokio::spawn(tell(stream, values.told(&shutdown)));
                }
                // Too many files are open, say: that passes.
                Err(_) => delay(Duration::from_secs(1)).await,
            },
            _ = terminated.recv() => break,
            _ = interrupted.recv() => break,
        }
    }
    fs::remove_file(&asked.socket)?;
    let report = shutdown.shutdown(SHUTDOWN_LIMIT).await;
    match &report.timed_out[..] {
        [] => Ok(()),
        late => Err(format!("still running: {}", late.join(", ")).into()),
    }
}

/// What the command line asks for.
struct Asked {
    every: Duration,
    socket: PathBuf,
    sources: BTreeMap<String, String>,
}

impl Asked {
    fn read(args: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let usage = "usage: latest_values [--every DURATION] SOCKET NAME=COMMAND...";
        let (mut args, mut every) = (args.peekable(), EVERY);
        if args.next_if_eq("--every").is_some() {
            every = humantime::parse_duration(&args.next().ok_or(usage)?)?;
        }
        let socket = args.next().ok_or(usage)?.into();
        let sources = args.map(|source| {
            let (name, command) = source.split_once('=').ok_or(usage)?;
            Ok::<_, &str>((name.to_owned(), command.to_owned()))
        });
        let sources: BTreeMap<_, _> = sources.collect::<Result<_, _>>()?;
        if sources.is_empty() { Err(usage.into()) } else { Ok(Self { every, socket, sources }) }
    }
}

/// The latest value of each source that had one.
#[derive(Clone, Default)]
struct Values(Arc<Mutex<BTreeMap<String, Value>>>);

#[derive(Clone)]
struct Value {
    text: String,
    captured_at: Timestamp,
}

/// What is told of one source.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    name: String,
    value: Option<String>,
    captured_at: Option<Timestamp>,
    error: Option<String>,
}

impl Values {
    fn told(&self, shutdown: &GracefulShutdown) -> Vec<Told> {
        let sources = shutdown.loops();
        let values = self.lock();
        let told = sources.into_iter().map(|source| {
            let value = values.get(&source.name);
            Told {
                value: value.map(|value| value.text.clone()),
                captured_at: value.map(|value| value.captured_at),
                // An error of the past is over once a value was captured again.
                error: source.last_error.filter(|_| source.failures > 0),
                name: source.name,
            }
        });
        told.collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Begins the loop of one source.
fn capture_forever(
    shutdown: &GracefulShutdown,
    values: &Values,
    name: String,
    command: String,
    every: Duration,
) {
    let options = Forever { shutdown: Some(shutdown.clone()), ..Forever::new(&name, every) };
    let values = values.clone();
    tokio::spawn(forever(options, move || capture(values.clone(), name.clone(), command.clone())));
}

async fn capture(values: Values, name: String, command: String) -> Result<(), Failure> {
    let output = Command::new("sh").arg("-c").arg(&command).kill_on_drop(true).output().await?;
    if !output.status.success() {
        println!("{name} failed");
        return Err(format!("`{command}` ended with {}", output.status).into());
    }
    let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    values.lock().insert(name.clone(), Value { text, captured_at: SystemClock::default().now() });
    println!("{name} captured");
    Ok(())
}

/// Answers one connection. Whoever does not read is given up on.
async fn tell(mut stream: UnixStream, told: Vec<Told>) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for source in told {
        serde_json::to_writer(&mut lines, &source)?;
        lines.push(b'\n');
    }
    tokio::time::timeout(Duration::from_secs(5), stream.write_all(&lines)).await??;
    Ok(())
}
