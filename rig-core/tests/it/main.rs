//! Tests of rig-core.

mod config;
mod group_commit;
