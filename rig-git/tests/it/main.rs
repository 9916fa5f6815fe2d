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
mod processes;
mod protecting;
mod recovery;
mod registering;
mod renaming;
mod repository_memory;
mod repository_reads;
mod repository_refusals;
mod setup;
mod setup_world;
mod sync;
mod sync_folders;
mod turns;
mod world;
