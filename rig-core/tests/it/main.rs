//! Tests of rig-core.

mod config;
mod group_commit;
mod id;
mod name;
mod order;
mod path;
mod slug;
mod store_key;
mod time;
