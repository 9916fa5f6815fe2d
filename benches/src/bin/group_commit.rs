//! Group commit against one commit for each operation, at 32 callers, on storage in memory whose
//! every sync takes 2 ms.

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use redb::StorageBackend;
use redb::backends::InMemoryBackend;
use rig_benches::{Report, Result, Runs};
use rig_core::store::{self, Options, Record, Store, Table, Transact as _};
use serde::{Deserialize, Serialize};

#[derive(Parser)]
struct Arguments {
    /// Threads that write
    #[arg(long, default_value_t = 32)]
    callers: u64,
    /// Milliseconds that each side writes in each run
    #[arg(long, default_value_t = 500)]
    milliseconds: u64,
    #[command(flatten)]
    runs: Runs,
}

/// How long a sync takes.
const SYNC: Duration = Duration::from_millis(2);

/// Storage whose syncs take as long as those of a disk.
#[derive(Debug)]
struct SlowSync(InMemoryBackend);

impl StorageBackend for SlowSync {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        thread::sleep(SYNC);
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
}

#[derive(Serialize, Deserialize)]
struct Note {
    text: String,
}

impl Record for Note {}

const NOTES: Table<u64, Note> = Table::new("bench/notes");

/// Operations a second of so many callers. With `turns` a caller waits until the commit of the one
/// before is done, so that each operation is a commit.
fn rate(arguments: &Arguments, turns: Option<&Mutex<()>>) -> Result<f64> {
    let backend = SlowSync(InMemoryBackend::new());
    let store = Arc::new(Store::open_on(backend, Options::default())?);
    let next = AtomicU32::new(0);
    let limit = Duration::from_millis(arguments.milliseconds);
    let start = Instant::now();
    thread::scope(|scope| {
        let callers: Vec<_> = (0..arguments.callers)
            .map(|_| {
                scope.spawn(|| -> store::Result<()> {
                    while start.elapsed() < limit {
                        let _turn = turns.map(|turns| turns.lock().expect("nobody panics"));
                        let key = u64::from(next.fetch_add(1, Ordering::Relaxed));
                        store.write(move |tx| {
                            tx.put(NOTES, &key, &Note { text: "a note".repeat(20) })?;
                            tx.event("note.written", &[&key], None, &key)
                        })?;
                    }
                    Ok(())
                })
            })
            .collect();
        callers.into_iter().try_for_each(|caller| caller.join().expect("nobody panics"))
    })?;
    Ok(f64::from(next.load(Ordering::Relaxed)) / start.elapsed().as_secs_f64())
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let (mut grouped, mut single) = (Vec::new(), Vec::new());
    for _ in 0..arguments.runs.runs {
        single.push(rate(&arguments, Some(&Mutex::new(())))?);
        grouped.push(rate(&arguments, None)?);
    }
    let mut report = Report::default();
    let single = ("a commit for each operation", median(single));
    report.gain("group commit", median(grouped), single, 20.0);
    Ok(report.exit())
}
