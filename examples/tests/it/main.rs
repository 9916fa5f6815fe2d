//! The examples run.

mod latest_values;
mod worktree_pool;
