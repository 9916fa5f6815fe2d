//! Where the time comes from: a clock is handed in and read once per operation.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use crate::time::Timestamp;

/// Tells the time on two axes: that of the calendar, which may be set, and that which has passed
/// since the machine was started, which may not.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The wall-clock time now, cut down to whole milliseconds.
    fn now(&self) -> Timestamp;

    /// The time since the machine was started, sleep included; none where the system does not tell
    /// one start from another.
    fn boot(&self) -> Option<Boot>;
}

/// A reading of the clock that counts from the start of the machine, through sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boot {
    /// Which start of the machine. Readings of different starts cannot be compared.
    pub id: BootId,
    /// Whole milliseconds since, cut down.
    pub ms: u64,
}

impl Boot {
    /// The time from `earlier` to this reading, zero if `earlier` is later; none if the machine was
    /// started in between.
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<Duration> {
        let passed = Duration::from_millis(self.ms.saturating_sub(earlier.ms));
        (self.id == earlier.id).then_some(passed)
    }
}

/// Names one start of the machine: a UUID that the kernel makes up when it begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BootId(u128);

impl BootId {
    /// The ID with these 128 bits.
    #[must_use]
    pub fn from_bits(bits: u128) -> Self {
        Self(bits)
    }
}

impl fmt::Display for BootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Uuid::from_u128(self.0).fmt(f)
    }
}

impl fmt::Debug for BootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for BootId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        Uuid::from_str(text).map(|id| Self(id.as_u128()))
    }
}

impl Serialize for BootId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BootId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Both readings of a clock, taken at once, so that one operation has one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The wall-clock time.
    pub wall: Timestamp,
    /// The time since the machine was started.
    pub boot: Option<Boot>,
}

impl Now {
    /// Reads `clock`.
    #[must_use]
    pub fn read(clock: &dyn Clock) -> Self {
        Self { wall: clock.now(), boot: clock.boot() }
    }
}

/// The machine's own clock.
#[derive(Clone, Debug, Default)]
pub struct SystemClock {
    /// Asked for once: it does not change while a process runs.
    boot_id: OnceLock<Option<BootId>>,
}

impl SystemClock {
    /// The machine's own clock, which takes this start of the machine for another one.
    #[must_use]
    pub fn with_boot_id(id: BootId) -> Self {
        Self { boot_id: OnceLock::from(Some(id)) }
    }
}

impl Clock for SystemClock {
    // The one place that reads the clock.
    #[allow(clippy::disallowed_methods)]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::default().checked_add(since).unwrap_or_default()
    }

    fn boot(&self) -> Option<Boot> {
        let id = (*self.boot_id.get_or_init(system::boot_id))?;
        Some(Boot { id, ms: system::boot_ms()? })
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use rustix::time::{ClockId, clock_gettime};

    use super::BootId;

    pub(super) fn boot_id() -> Option<BootId> {
        let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        text.trim().parse().ok()
    }

    pub(super) fn boot_ms() -> Option<u64> {
        let now = clock_gettime(ClockId::Boottime);
        let (seconds, nanos) = (u64::try_from(now.tv_sec).ok()?, u64::try_from(now.tv_nsec).ok()?);
        seconds.checked_mul(1000)?.checked_add(nanos / 1_000_000)
    }
}

/// Where the system's calls give no name to a start of the machine, all follows the wall clock.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod system {
    use super::BootId;

    pub(super) fn boot_id() -> Option<BootId> {
        None
    }

    pub(super) fn boot_ms() -> Option<u64> {
        None
    }
}

/// A clock that stands still until it is moved; for tests.
#[derive(Debug)]
pub struct ManualClock(Mutex<Now>);

impl ManualClock {
    /// A clock that stands at `now`, on a machine that was just started.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        let boot = Boot { id: BootId::from_bits(1), ms: 0 };
        Self(Mutex::new(Now { wall: now, boot: Some(boot) }))
    }

    /// A clock that stands at `now`, on a machine that does not tell one start from another.
    #[must_use]
    pub fn without_boot(now: Timestamp) -> Self {
        Self(Mutex::new(Now { wall: now, boot: None }))
    }

    /// Lets time pass, as far as there are instants, whether the machine is awake or asleep.
    pub fn advance(&self, by: Duration) {
        let mut now = self.lock();
        if let Some(later) = now.wall.checked_add(by) {
            now.wall = later;
            let ms = u64::try_from(by.as_millis()).unwrap_or(0);
            now.boot = now.boot.map(|boot| Boot { ms: boot.ms + ms, ..boot });
        }
    }

    /// Sets the wall clock, forward or back. No time passes.
    pub fn set(&self, wall: Timestamp) {
        self.lock().wall = wall;
    }

    /// Starts the machine anew after it was down for this long, as far as there are instants.
    pub fn reboot(&self, down: Duration) {
        let mut now = self.lock();
        now.wall = now.wall.checked_add(down).unwrap_or(now.wall);
        now.boot = now.boot.map(|boot| Boot { id: BootId(boot.id.0 + 1), ms: 0 });
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        // A reading is whole after each change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.lock().wall
    }

    fn boot(&self) -> Option<Boot> {
        self.lock().boot
    }
}

/// When something that must not take for ever has taken long enough. It is measured on a clock that
/// nobody can set, so that a step of the wall clock neither ends nor prolongs anything.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    started: Instant,
    limit: Duration,
}

impl Deadline {
    /// A deadline that passes once `limit` is over.
    #[must_use]
    // The other place that reads a clock: a time-out is real time in tests too.
    #[allow(clippy::disallowed_methods)]
    pub fn after(limit: Duration) -> Self {
        Self { started: Instant::now(), limit }
    }

    /// How long it has been running.
    #[must_use]
    #[allow(clippy::disallowed_methods)]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How long there is left; zero once it has passed.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.elapsed())
    }

    /// Whether it has passed.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.left().is_zero()
    }
}
