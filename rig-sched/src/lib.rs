//! Durable waits and scheduled messages, and the parsing of durations and dates.
//!
//! A program that has nothing but a store and this crate waits across its own restarts:
//!
//! ```
//! use std::time::Duration;
//!
//! use rig_core::call_key::CallKey;
//! use rig_core::caller::Caller;
//! use rig_core::store::{Options, Store};
//! use rig_sched::parse::{self, Time};
//! use rig_sched::waits::{NewWait, Reason};
//! use rig_sched::{FIRED, MAX_WAIT, Sched};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("timers.redb");
//! let store = Store::open(&file, Options::default())?;
//! let timers = Sched(&store);
//!
//! // However often it is started under this key, the wait keeps its first due time.
//! let time = Time::After(parse::duration("5 ms", MAX_WAIT)?);
//! let new = NewWait { key: Some(CallKey::alone("nightly")?), ..NewWait::new(time) };
//! let wait = timers.start_wait(Caller::Person, new)?;
//!
//! // The host sleeps, and tells when something is due.
//! while let Some(left) = timers.next_due()? {
//!     std::thread::sleep(left.min(Duration::from_secs(30)));
//!     timers.fire(FIRED)?;
//! }
//! let outcome = timers.wait(Caller::Person, wait.id)?.outcome().expect("it has ended");
//! assert_eq!(outcome.reason, Reason::Elapsed);
//! # Ok(())
//! # }
//! ```
//!
//! Times are read with [`parse`], which needs neither a store nor a clock:
//!
//! ```
//! use std::time::Duration;
//!
//! use rig_core::time::Timestamp;
//! use rig_sched::parse::{self, DurationInput};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! const DAY: Duration = Duration::from_hours(24);
//! let now = "2026-08-01T00:00:00Z".parse::<Timestamp>()?;
//!
//! // A text, or the fields of a request.
//! assert_eq!(parse::duration("1h 30m", DAY)?, Duration::from_mins(90));
//! let request: DurationInput = serde_json::from_str(r#"{"hours": 1, "minutes": 30}"#)?;
//! assert_eq!(parse::duration(&request, DAY)?, Duration::from_mins(90));
//!
//! // One instant in three spellings; whether a number is seconds or milliseconds is never guessed.
//! let due = parse::instant("2026-08-01T20:30:00+02:00", now, DAY)?;
//! assert_eq!(due.to_string(), "2026-08-01T18:30:00.000Z");
//! assert_eq!(parse::instant("Sat, 01 Aug 2026 18:30:00 GMT", now, DAY)?, due);
//! assert_eq!(parse::instant(1_785_609_000_000, now, DAY)?, due);
//!
//! // What is refused has a stable code, and tells what to write instead.
//! let error = parse::duration("1M", DAY).unwrap_err();
//! assert_eq!(error.code(), "duration_unit_calendar");
//! # Ok(())
//! # }
//! ```
//!
//! What it guarantees:
//!
//! - A wait and a scheduled message that were acknowledged are on disk, and each reaches exactly one
//!   final state, in one transaction with the one event for it and whatever else belongs to it.
//! - Nothing happens before it is due; what is late happens as soon as somebody fires, in the order
//!   in which it was due, and says how late it was.
//! - The same request again answers with what exists: [`waits`] and [`messages`] say by what it is
//!   known.
//! - A time that is read means one thing: the same in every spelling, and the same to humantime,
//!   chrono and others that read the text at all.
//! - Nothing is early by a fraction: instants are rounded up to whole milliseconds.
//!
//! What it refuses:
//!
//! - To guess: an instant without an offset, a number without a unit, months and years as durations,
//!   a weekday that is not the date's, and a leap second.
//! - To deliver twice, and to end what has ended: the first transaction decides.
//! - To read the environment or the clock, to sleep, to start threads, or to print.

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods))]

mod agree;
mod error;
mod fire;
mod identity;
mod kept;
mod limits;
pub mod messages;
pub mod parse;
mod sched;
mod stored;
mod tables;
pub mod waits;

pub use error::{Differs, Error, Result};
pub use fire::{Fired, fire, next_due};
pub use limits::{FIRED, HORIZON, MAX_PENDING_MESSAGES, MAX_PENDING_WAITS, MAX_WAIT};
pub use sched::Sched;
pub use tables::{TABLES, agree};
