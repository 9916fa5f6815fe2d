//! The tests of rig-git, a file per subject.

mod archive_branch;
mod archive_clean;
mod archive_configured;
mod archive_lost;
mod archive_save;
mod archive_world;
mod checkouts;
mod creating;
mod fetching;
mod git_runs;
mod life;
mod lifecycle;
mod recovery;
mod registering;
mod renaming;
mod repository_reads;
mod setup;
mod sync;
mod turns;
mod world;
