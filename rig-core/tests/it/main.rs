//! Tests of rig-core.

mod changes;
mod config;
mod disk;
mod group_commit;
mod id;
mod name;
mod order;
mod path;
mod power_cut;
mod records;
mod slug;
mod store_key;
mod time;
