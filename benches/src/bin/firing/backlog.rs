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

/// Fires so many messages that fell due over a day, while somebody starts one wait after the other.
pub(crate) fn fire(many: u64) -> Result<Fired> {
    let clock = Arc::new(ManualClock::new(super::now().wall));
    let options = Options { clock: clock.clone(), ..Options::default() };
    let store = Store::open_on(SlowSync::default(), options)?;
    let (sender, target) = (super::register(&store)?, super::register(&store)?);
    let day = 24 * 60 * 60 * 1000;
    let due = move |number| Time::After(Duration::from_millis(number * day / many));
    super::fill(&store, Caller::Agent(sender), target, many, due)?;
    clock.advance(Duration::from_hours(24) + Duration::from_mins(1));

    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let requests = scope.spawn(|| {
            let mut slowest = Duration::ZERO;
            while !done.load(Ordering::Relaxed) {
                let wait = NewWait::new(Time::After(Duration::from_mins(5)));
                let took =
                    timed(|| Ok(Sched(&store).start_wait(Caller::Person, wait).map(drop)?));
                slowest = slowest.max(took.map_err(|error| error.to_string())?);
            }
            Ok::<_, String>(slowest)
        });
        let start = Instant::now();
        let mut fired = 0;
        let all = (|| {
            loop {
                let batch = Sched(&store).fire(FIRED)?;
                fired += batch.delivered.len() as u64;
                if !batch.left {
                    return Ok::<_, rig_sched::Error>(());
                }
            }
        })();
        let took = start.elapsed();
        done.store(true, Ordering::Relaxed);
        let slowest = requests.join().expect("nobody panics")?;
        all?;
        if fired != many {
            return Err(format!("{fired} of {many} were delivered").into());
        }
        Ok(Fired { took, slowest })
    })
}
