//! The examples run.

mod durable_wait;
mod latest_values;
mod worktree_pool;
