//! The tests of rig-git, a file per subject.

mod creating;
mod git_runs;
mod life;
mod repository_reads;
mod setup;
mod sync;
mod tree;
mod turns;
mod world;
