//! The tests of rig-sched, a file per subject.

mod parse_durations;
mod parse_instants;
mod parse_messages;
mod parse_properties;
mod parse_vectors;
mod scheduling;
mod waiting;
mod world;
