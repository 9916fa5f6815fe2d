//! Durations and instants as people, scripts and agents write them.
//!
//! Durations are texts such as `1h 30m` or `PT1H30M`, read by humantime behind stricter checks, or
//! numbers of seconds, minutes, hours and days. Instants are RFC 3339, ISO 8601 with an offset,
//! RFC 2822, all read by chrono, or Unix numbers, of which the window of allowed instants tells
//! whether they are seconds or milliseconds. What could be meant in two ways is refused, and the
//! error says where reading stopped and what is accepted.
//!
//! Durations are rounded to whole milliseconds, half up; instants are rounded up, so that nothing
//! that is due then happens a fraction early.

mod buffer;
mod calendar;
mod decimal;
mod duration;
mod error;
mod fields;
mod input;
mod instant;
mod iso_8601;
mod iso_duration;
mod past_limit;
mod reader;
mod term;
mod terms;
mod time;
mod trim;
mod unit;
mod unix;

pub use duration::duration;
pub use error::{Error, Part, Result};
pub use input::{DurationInput, InstantInput, TimeInput};
pub use instant::instant;
pub use past_limit::{PastLimit, Readings};
pub use time::{Time, time};

/// Bytes in the longest text of a duration or an instant, once it is trimmed.
pub const MAX_TEXT: usize = 100;
