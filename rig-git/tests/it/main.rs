//! The tests of rig-git, a file per subject.

mod archive_branch;
mod archive_clean;
mod archive_lost;
mod archive_save;
mod archive_world;
mod creating;
mod git_runs;
mod life;
mod repository_reads;
mod setup;
mod sync;
mod tree;
mod turns;
mod world;
