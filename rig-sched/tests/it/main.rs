//! The tests of rig-sched, a file per subject.

mod parse_durations;
mod parse_instants;
mod parse_messages;
