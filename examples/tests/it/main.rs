//! The examples run.

mod durable_wait;
mod latest_values;
mod own_node;
mod worktree_pool;
