use std::time::Duration;

/// The longest wait.
pub const MAX_WAIT: Duration = Duration::from_hours(24);

/// The furthest ahead that a message may be scheduled, and the longest time until it expires.
pub const HORIZON: Duration = Duration::from_hours(366 * 24);

/// Waits that a caller may have pending.
pub const MAX_PENDING_WAITS: u64 = 10_000;

/// Messages that a sender may have pending.
pub const MAX_PENDING_MESSAGES: u64 = 100_000;

/// Things that are fired in one transaction.
pub const FIRED: usize = 100;
