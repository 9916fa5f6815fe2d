use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rig_benches::{Result, SlowSync, timed};
use rig_core::caller::Caller;
use rig_core::clock::ManualClock;
use rig_core::store::{Options, Store};
use rig_sched::parse::Time;
use rig_sched::waits::NewWait;
use rig_sched::{FIRED, Sched};

/// How a backlog was caught up.
pub(crate) struct Fired {
    pub(crate) took: Duration,
    /// The longest that a request took meanwhile.
    pub(crate) slowest: Duration,
}

/// Fires so many messages that fell due over a day; with `requests`, while somebody starts one wait
/// after the other.
pub(crate) fn fire(many: u64, requests: bool) -> Result<Fired> {
    let clock = Arc::new(ManualClock::new(super::now().wall));
    let options = Options { clock: clock.clone(), ..Options::default() };
    let store = Store::open_on(SlowSync::default(), options)?;
    let (sender, target) = (super::register(&store)?, super::register(&store)?);
    let day = 24 * 60 * 60 * 1000;
    let due = move |number| Time::After(Duration::from_millis(number * day / many));
    super::fill(&store, Caller::Agent(sender), target, many, due)?;
    clock.advance(Duration::from_hours(24) + Duration::from_mins(1));

    let done = AtomicBool::new(!requests);
    thread::scope(|scope| {
        let requester = scope.spawn(|| request(&store, &done).map_err(|error| error.to_string()));
        let start = Instant::now();
        let fired = catch_up(&store);
        let took = start.elapsed();
        done.store(true, Ordering::Relaxed);
        let slowest = requester.join().expect("nobody panics")?;
        match fired? {
            fired if fired == many => Ok(Fired { took, slowest }),
            fired => Err(format!("{fired} of {many} were delivered").into()),
        }
    })
}

/// Fires until nothing is due; answers how many messages were delivered.
fn catch_up(store: &Store) -> rig_sched::Result<u64> {
    let mut fired = 0;
    loop {
        let batch = Sched(store).fire(FIRED)?;
        fired += batch.delivered.len() as u64;
        if !batch.left {
            return Ok(fired);
        }
    }
}

/// Starts one wait after the other until it is `done`; answers how long the slowest took.
fn request(store: &Store, done: &AtomicBool) -> Result<Duration> {
    let mut slowest = Duration::ZERO;
    while !done.load(Ordering::Relaxed) {
        let wait = NewWait::new(Time::After(Duration::from_mins(5)));
        let took = timed(|| Ok(Sched(store).start_wait(Caller::Person, wait).map(drop)?))?;
        slowest = slowest.max(took);
    }
    Ok(slowest)
}
