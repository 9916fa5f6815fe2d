//! The examples run.

mod agent_mail;
mod durable_wait;
mod latest_values;
mod own_node;
mod worktree_pool;
