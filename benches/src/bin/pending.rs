//! A store in which a million messages are scheduled: how long opening it takes, after it was closed
//! well and after its owner was killed, and how long it takes to know what is due next.
//!
//! The files lie in the folder for temporary files, which should be in memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rig_benches::{Report, Result, Runs, median, timed};
use rig_core::agent::{self, NewAgent};
use rig_core::caller::Caller;
use rig_core::clock::{Now, SystemClock};
use rig_core::id::AgentId;
use rig_core::mail::Body;
use rig_core::store::{Options, Store, Transact as _};
use rig_sched::messages::{self, NewMessage};
use rig_sched::parse::Time;
use rig_sched::{MAX_PENDING_MESSAGES, next_due};

#[derive(Parser)]
struct Arguments {
    /// Messages that are scheduled
    #[arg(long, default_value_t = 1_000_000)]
    pending: u64,
    #[command(flatten)]
    runs: Runs,
}

/// Messages scheduled in one transaction.
const PIECE: u64 = 1000;

/// The few that many are compared with.
const FEW: u64 = 1000;

fn now() -> Now {
    Now::read(&SystemClock::default())
}

/// A primary agent that may schedule as many messages as one may.
fn sender(store: &Store) -> Result<AgentId> {
    let id = AgentId::generate();
    let new = NewAgent {
        id,
        token: None,
        title: None,
        parent: None,
        cwd: None,
        disk: "bench".to_owned(),
        workspace: None,
        project: None,
    };
    let made = store
        .write(move |tx| agent::register(tx, now(), Caller::Person, &new, agent::MAX_DEPTH))?;
    Ok(made.agent.id)
}

/// Schedules so many messages, a second apart.
fn fill(store: &Store, pending: u64) -> Result<()> {
    let target = AgentId::generate();
    let body = Body::new("Look at the retries first, then at the tests that failed.")?;
    let each = MAX_PENDING_MESSAGES;
    let mut from = 0;
    while from < pending {
        let caller = Caller::Agent(sender(store)?);
        let last = pending.min(from + each);
        while from < last {
            let to = last.min(from + PIECE);
            let body = body.clone();
            store.write(move |tx| {
                for number in from..to {
                    let due = Time::After(Duration::from_secs(3600 + number));
                    let new = NewMessage::new(target, body.clone(), due);
                    messages::schedule(tx, now(), caller, &new)?;
                }
                Ok::<_, rig_sched::Error>(())
            })?;
            from = to;
        }
        eprintln!("{from} scheduled");
    }
    Ok(())
}

/// How long opening takes. Opening writes nothing, so the file is the same each time.
fn opened(file: &Path, runs: u32) -> Result<Duration> {
    let once = |_| {
        let mut store = None;
        let took = timed(|| {
            store = Some(Store::open(file, Options::default())?);
            Ok(())
        })?;
        drop(store);
        Ok(took)
    };
    Ok(median((0..runs).map(once).collect::<Result<_>>()?))
}

/// How long it takes to know what is due next.
fn next(store: &Store, runs: u32) -> Result<Duration> {
    let once = |_| timed(|| Ok(store.read(|r| next_due(r, now())).map(drop)?));
    Ok(median((0..runs * 100).map(once).collect::<Result<_>>()?))
}

fn main() -> Result<ExitCode> {
    let Arguments { pending, runs } = Arguments::parse();
    let runs = runs.runs;
    let folder = tempfile::tempdir()?;
    let file = |name: &str| -> PathBuf { folder.path().join(name) };
    let mut report = Report::default();

    let few = Store::open(&file("few.redb"), Options::default())?;
    fill(&few, FEW)?;
    let store = Store::open(&file("many.redb"), Options::default())?;
    fill(&store, pending)?;
    let (least, most) = (next(&few, runs)?, next(&store, runs)?);
    report.time(&format!("next due of {pending}"), most, Duration::from_micros(100));
    report.ratio(&format!("next due of {pending}"), most, ("of 1000", least), 3.0);

    // What a kill leaves: the file as it is while it is open.
    fs::copy(file("many.redb"), file("quick.redb"))?;
    store.close()?;
    let slow = Options { quick_repair_from: u64::MAX, ..Options::default() };
    let store = Store::open(&file("many.redb"), slow)?;
    fill(&store, 1)?;
    fs::copy(file("many.redb"), file("killed.redb"))?;
    store.close()?;

    for (what, name, most) in [
        ("opening what was closed well", "many.redb", 10),
        ("opening what was killed", "killed.redb", 1000),
        ("opening what was killed, with quick repair", "quick.redb", 100),
    ] {
        let took = opened(&file(name), runs)?;
        report.time(what, took, Duration::from_millis(most));
    }
    Ok(report.exit())
}
