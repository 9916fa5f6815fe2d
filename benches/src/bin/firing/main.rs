//! Waits and scheduled messages in numbers: what one more costs when many are pending, how fast a
//! backlog is caught up and how long a request takes meanwhile, and what a wait leaves behind. Where
//! storage matters it is in memory and every sync takes 2 ms. With the feature `sqlite` that one
//! fires the same rows beside it.

mod backlog;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rig_benches::{Report, Result, Runs, SlowSync, median, timed};
use rig_core::agent::{self, NewAgent};
use rig_core::caller::Caller;
use rig_core::clock::{Now, SystemClock};
use rig_core::id::AgentId;
use rig_core::mail::Body;
use rig_core::store::{Options, Store, Transact};
use rig_sched::messages::{self, NewMessage};
use rig_sched::parse::Time;
use rig_sched::waits::NewWait;
use rig_sched::{FIRED, Sched};

#[derive(Parser)]
struct Arguments {
    /// Messages that are pending where many are
    #[arg(long, default_value_t = 100_000)]
    pending: u64,
    /// Messages that are due
    #[arg(long, default_value_t = 5000)]
    backlog: u64,
    /// Waits that start and end
    #[arg(long, default_value_t = 20_000)]
    cycles: u32,
    #[command(flatten)]
    runs: Runs,
}

/// Messages scheduled in one transaction.
const PIECE: u64 = 1000;

fn now() -> Now {
    Now::read(&SystemClock::default())
}

/// An agent that is there.
fn register(store: &impl Transact) -> Result<AgentId> {
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
    store.write(move |tx| agent::register(tx, now(), Caller::Person, &new, agent::MAX_DEPTH))?;
    Ok(id)
}

fn body() -> Result<Body> {
    Ok(Body::new("Look at the retries first, then at the tests that failed.")?)
}

/// Schedules so many messages of a sender, each at the time that `due` gives its number.
fn fill(
    store: &impl Transact,
    sender: Caller,
    target: AgentId,
    many: u64,
    due: impl Fn(u64) -> Time + Copy + Send + 'static,
) -> Result<()> {
    let body = body()?;
    for from in (0..many).step_by(usize::try_from(PIECE)?) {
        let body = body.clone();
        store.write(move |tx| {
            (from..many.min(from + PIECE)).try_for_each(|number| {
                let new = NewMessage::new(target, body.clone(), due(number));
                messages::schedule(tx, now(), sender, &new).map(drop)
            })
        })?;
    }
    Ok(())
}

/// How long scheduling one more takes where so many are pending.
fn one_more(pending: u64, runs: u32) -> Result<Duration> {
    let store = Store::open_on(SlowSync::default(), Options::default())?;
    let (target, other) = (register(&store)?, register(&store)?);
    let far = |number| Time::After(Duration::from_secs(3600 + number));
    fill(&store, Caller::Person, target, pending, far)?;
    let body = body()?;
    let once = |number| {
        let new = NewMessage::new(target, body.clone(), far(u64::from(number)));
        timed(|| Ok(Sched(&store).schedule(Caller::Agent(other), new).map(drop)?))
    };
    Ok(median((0..runs * 100).map(once).collect::<Result<_>>()?))
}

/// Bytes by which the file grows per wait that starts and is cancelled, once as many are settled as
/// are kept.
fn growth(cycles: u32) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("rig.redb");
    let store = Store::open(&file, Options::default())?;
    let cycle = |store: &Store, many: u32| -> Result<()> {
        for _ in 0..many {
            let wait = NewWait::new(Time::After(Duration::from_mins(5)));
            let wait = Sched(store).start_wait(Caller::Person, wait)?;
            Sched(store).cancel_wait(Caller::Person, wait.id)?;
        }
        Ok(())
    };
    cycle(&store, 1000)?;
    store.compact()?;
    let before = std::fs::metadata(&file)?.len();
    cycle(&store, cycles)?;
    let grown_with_room = std::fs::metadata(&file)?.len().saturating_sub(before);
    eprintln!("the file grew by {grown_with_room} bytes before it was compacted");
    store.compact()?;
    let grown = std::fs::metadata(&file)?.len().saturating_sub(before);
    Ok(f64::from(u32::try_from(grown)?) / f64::from(cycles))
}

/// How long `SQLite` takes for the same backlog, if it is there.
#[cfg(feature = "sqlite")]
fn peer(backlog: u64) -> Result<Option<Duration>> {
    sqlite::fire(backlog, FIRED).map(Some)
}

#[cfg(not(feature = "sqlite"))]
#[allow(clippy::unnecessary_wraps)]
fn peer(_backlog: u64) -> Result<Option<Duration>> {
    Ok(None)
}

fn main() -> Result<ExitCode> {
    let Arguments { pending, backlog, cycles, runs } = Arguments::parse();
    let mut report = Report::default();

    let (few, many) = (one_more(10, runs.runs)?, one_more(pending, runs.runs)?);
    let what = format!("scheduling one more at {pending} pending");
    report.ratio(&what, many, ("at 10", few), 2.0);

    let (mut ours, mut slowest, mut theirs) = (Vec::new(), Duration::ZERO, Vec::<Duration>::new());
    for run in 0..runs.runs {
        let fired = backlog::fire(backlog, false)?;
        ours.push(fired.took);
        slowest = slowest.max(backlog::fire(backlog, true)?.slowest);
        theirs.extend(peer(backlog)?);
        eprintln!("run {run}: {:.1?}", fired.took);
    }
    let backlogged = f64::from(u32::try_from(backlog)?);
    let rate = |times| backlogged / median(times).as_secs_f64();
    let ours = rate(ours);
    report.rate(&format!("firing {backlog} by {FIRED}"), ours, 2000.0);
    report.time("the slowest request meanwhile", slowest, Duration::from_millis(50));
    if !theirs.is_empty() {
        report.gain("firing", ours, ("SQLite", rate(theirs)), 0.9);
    }

    report.count("bytes that a wait leaves behind", growth(cycles)?, 1024.0);
    Ok(report.exit())
}
