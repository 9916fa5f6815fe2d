//! A wait that survives the program's restart: a durable timer in a program of one's own, with
//! neither a daemon nor an asynchronous runtime.
//!
//! ```text
//! durable_wait STORE NAME DURATION
//! durable_wait timers.redb nightly 30m
//! ```
//!
//! However often the program is killed and started with the same name, the wait keeps its first due
//! time, and the time in which nothing ran counts. Once it has ended, the answer stays the same.

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::store::{Options, Store};
use rig_sched::parse::{self, Time};
use rig_sched::waits::{NewWait, Outcome};
use rig_sched::{FIRED, MAX_WAIT, Sched};

/// A longer sleep would miss that somebody set the clock, or that the machine slept.
const NAP: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [file, name, length] = args.as_slice() else {
        eprintln!("usage: durable_wait STORE NAME DURATION");
        return ExitCode::from(2);
    };
    match wait(Path::new(file), name, length) {
        Ok(outcome) => {
            println!("{outcome}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("durable_wait: {error}");
            ExitCode::FAILURE
        }
    }
}

fn wait(file: &Path, name: &str, length: &str) -> Result<Outcome, Box<dyn Error>> {
    let store = Store::open(file, Options::default())?;
    let timers = Sched(&store);
    let time = Time::After(parse::duration(length, MAX_WAIT)?);
    let new = NewWait { key: Some(CallKey::alone(name)?), ..NewWait::new(time) };
    let started = timers.start_wait(Caller::Person, new)?;
    println!("started at {}, due at {}", started.started_at, started.due_at);
    loop {
        if let Some(outcome) = timers.wait(Caller::Person, started.id)?.outcome() {
            return Ok(outcome);
        }
        thread::sleep(timers.next_due()?.unwrap_or(NAP).min(NAP));
        timers.fire(FIRED)?;
    }
}
