//! What a durable operation costs: one caller, 32 and 128 at once, and 100 operations in one commit,
//! on storage in memory whose every sync takes 2 ms. With the feature `sqlite` that one does the same
//! beside it, in WAL, where each commit syncs once.

mod callers;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Parser;
use rig_benches::{Count, Report, Result, Runs, SYNC, SlowSync, median};
use rig_core::store::{self, Options, Record, Store, Table, Transact as _, Tx};
use serde::{Deserialize, Serialize};

use self::callers::{Load, load};

#[derive(Parser)]
struct Arguments {
    /// Milliseconds that each side writes in each run
    #[arg(long, default_value_t = 500)]
    milliseconds: u64,
    #[command(flatten)]
    runs: Runs,
}

/// Callers at once, how many times the rate of one they must reach, and the syncs that 99 of 100
/// operations may take.
const CALLERS: [(usize, f64, u32); 2] = [(32, 20.0, 5), (128, 50.0, 8)];

/// Operations that are committed together.
const TOGETHER: u32 = 100;

#[derive(Serialize, Deserialize)]
struct Note {
    text: String,
}

impl Record for Note {}

const NOTES: Table<u64, Note> = Table::new("bench/notes");

/// The operation that is measured.
fn note(tx: &Tx<'_>, key: u64) -> store::Result<()> {
    tx.put(NOTES, &key, &Note { text: "a note".repeat(20) })?;
    tx.event("note.written", &[&key], None, &key)
}

fn open() -> Result<(Store, Arc<Count>)> {
    let storage = SlowSync::default();
    let count = Arc::clone(&storage.count);
    let store = Store::open_on(storage, Options::default())?;
    // The first commit marks the file as open.
    store.write(|tx| note(tx, u64::MAX))?;
    Ok((store, count))
}

/// So many callers of a store, and the syncs of each of their operations.
fn ours(callers: usize, limit: Duration) -> Result<(Load, f64)> {
    let (store, count) = open()?;
    let before = count.syncs();
    let load = load(callers, limit, |key| Ok(store.write(move |tx| note(tx, key))?))?;
    let of_each = f64::from(count.syncs() - before) / load.operations();
    Ok((load, of_each))
}

/// How long the operations take as one commit, and as a commit each.
fn together() -> Result<(Duration, Duration)> {
    let (store, _) = open()?;
    let (open_gate, gate) = channel::<()>();
    let gate = Mutex::new(gate);
    // While this one runs, the others are queued.
    store.write_then(
        move |_| {
            let _ = gate.lock().map(|gate| gate.recv());
            Ok(())
        },
        |_: store::Result<()>| (),
    );
    let (told, answers) = channel();
    for key in 0..TOGETHER {
        let told = told.clone();
        store.write_then(move |tx| note(tx, key.into()), move |answer| drop(told.send(answer)));
    }
    drop(told);
    let start = Instant::now();
    open_gate.send(())?;
    answers.iter().collect::<store::Result<()>>()?;
    let one = start.elapsed();
    let start = Instant::now();
    for key in 0..TOGETHER {
        store.write(move |tx: &Tx<'_>| note(tx, (TOGETHER + key).into()))?;
    }
    Ok((one, start.elapsed()))
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let limit = Duration::from_millis(arguments.milliseconds);
    let mut one = Vec::new();
    let mut syncs: f64 = 0.0;
    let mut many = CALLERS.map(|_| Vec::new());
    let (mut in_one, mut each) = (Vec::new(), Vec::new());
    for run in 0..arguments.runs.runs {
        let (alone, syncs_of_each) = ours(1, limit)?;
        syncs = syncs.max(syncs_of_each);
        one.push(alone);
        for (at, (callers, ..)) in CALLERS.iter().enumerate() {
            many[at].push(ours(*callers, limit)?.0);
        }
        let (one, other) = together()?;
        in_one.push(one);
        each.push(other);
        eprintln!("run {run}: done");
        #[cfg(feature = "sqlite")]
        for callers in [1, 32, 128] {
            let load = sqlite::load(callers, limit)?;
            let (rate, p99) = (load.rate(), load.p99());
            println!("     SQLite, {callers} callers: {rate:.0}/s, 99 of 100 within {p99:.1?}");
        }
    }
    let mut report = Report::default();
    let alone = callers::median_rate(&one);
    report.rate("one caller", alone, 400.0);
    report.count("syncs of its commit", syncs, 1.0);
    for ((callers, gain, syncs), loads) in CALLERS.iter().zip(&many) {
        let what = format!("{callers} callers");
        report.gain(&what, callers::median_rate(loads), ("one caller", alone), *gain);
        let p99 = median(loads.iter().map(Load::p99).collect());
        report.time(&format!("{what}, 99 of 100"), p99, *syncs * SYNC);
    }
    let rate = |time: Vec<Duration>| f64::from(TOGETHER) / median(time).as_secs_f64();
    let each = ("a commit each", rate(each));
    report.gain(&format!("{TOGETHER} operations in one commit"), rate(in_one), each, 50.0);
    Ok(report.exit())
}
