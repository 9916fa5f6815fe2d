//! The tests of rig-git, a file per subject.

mod git_runs;
mod repository_reads;
mod setup;
mod sync;
mod tree;
mod turns;
mod world;
