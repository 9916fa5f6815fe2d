//! What Rig must reach, measured against plain git in the same run.
//!
//! Each binary answers one question. It prints its figures, the target and `PASS` or `MISS`, and
//! ends with 1 if a target is missed by a factor of two. Build the command first, then run, say:
//!
//! ```text
//! cargo build --release -p rig-cli
//! cargo run --release -p rig-benches --bin create
//! cargo run --release -p rig-benches --bin create -- --files 2000 --mebibytes 20
//! ```
//!
//! What is compared runs interleaved, so that whatever else the machine does hits both alike, and
//! what counts is the median. All of it happens in a temporary folder with a home of its own.

mod daemon;
mod report;
mod repository;
mod sandbox;
mod slow_sync;
mod timing;

pub use daemon::Daemon;
pub use report::Report;
pub use repository::Repository;
pub use sandbox::{ModelledSync, RigBinary, Sandbox};
pub use slow_sync::{Count, SYNC, SlowSync};
pub use timing::{Runs, in_turns, median, settle, timed};

/// What the binaries return.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
