//! The tests of rig-sched, a file per subject.

mod model;
mod model_runs;
mod parse_durations;
mod parse_instants;
mod parse_messages;
mod parse_properties;
mod parse_vectors;
mod records;
mod scheduling;
mod waiting;
mod world;
