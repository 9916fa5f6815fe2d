use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

/// How often what goes on by itself wakes an idle leader.
const BEAT: Duration = Duration::from_secs(5);

/// Beats in the longest nap of the timer, 30 s: a longer one would miss that a clock was set, or that
/// the machine slept.
const NAP: u32 = 6;

/// Longer than until the next beat, for loops that a beat wakes.
pub(super) const UNTIL_WOKEN: Duration = Duration::from_hours(1);

/// What wakes an idle leader: all that looks after something now and then is woken together, so that
/// the process wakes once.
#[derive(Clone, Debug, Default)]
pub(super) struct Beat {
    /// Notified with each beat.
    pub(super) files: Arc<Notify>,
    /// Notified when the longest nap of the timer is over.
    pub(super) due: Arc<Notify>,
}

impl Beat {
    /// Beats from now on, as long as the runtime is there.
    pub(super) fn start(&self) {
        let beat = self.clone();
        tokio::spawn(async move {
            let mut pulse = pulse::Pulse::new();
            for number in (1..=NAP).cycle() {
                pulse.next().await;
                beat.files.notify_one();
                if number == NAP {
                    beat.due.notify_one();
                }
            }
        });
    }
}

/// The timers of the runtime wake up to three times for one nap that is longer than a few seconds,
/// those of the system once.
#[cfg(target_os = "linux")]
mod pulse {
    use std::io;
    use std::os::fd::OwnedFd;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::unix::AsyncFd;

    use super::BEAT;

    pub(super) struct Pulse(Option<AsyncFd<OwnedFd>>);

    impl Pulse {
        pub(super) fn new() -> Self {
            Self(timer().ok())
        }

        pub(super) async fn next(&mut self) {
            if let Some(timer) = &self.0
                && expired(timer).await.is_ok()
            {
                return;
            }
            self.0 = None;
            tokio::time::sleep(BEAT).await;
        }
    }

    /// Its clock goes on while the machine sleeps, so that it ends at once when that wakes.
    fn timer() -> io::Result<AsyncFd<OwnedFd>> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Boottime, flags)?;
        let every = Timespec::try_from(BEAT).map_err(io::Error::other)?;
        let spec = Itimerspec { it_interval: every, it_value: every };
        timerfd_settime(&timer, TimerfdTimerFlags::empty(), &spec)?;
        // What is wrong with it concerns types that give another descriptor each time they are asked;
        // what replaces it is unsafe.
        #[allow(deprecated)]
        AsyncFd::new(timer)
    }

    async fn expired(timer: &AsyncFd<OwnedFd>) -> io::Result<()> {
        loop {
            let mut ready = timer.readable().await?;
            // How often it expired matters to nobody.
            let read = ready.try_io(|timer| Ok(rustix::io::read(timer, &mut [0; 8])?));
            if let Ok(read) = read {
                return read.map(drop);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod pulse {
    pub(super) struct Pulse;

    impl Pulse {
        pub(super) fn new() -> Self {
            Self
        }

        pub(super) async fn next(&mut self) {
            tokio::time::sleep(super::BEAT).await;
        }
    }
}
