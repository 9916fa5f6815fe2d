//! Tests of rig-core.

mod agents;
mod call_key;
mod changes;
#[cfg(feature = "tokio")]
mod concurrency;
mod config;
mod disk;
mod disks;
mod due;
mod events;
mod failpoints;
mod frames;
mod group_commit;
mod id;
mod identity;
mod mail;
mod mail_kept;
mod mail_model;
mod mail_records;
mod name;
mod opening;
mod order;
mod path;
mod power_cut;
mod records;
mod slug;
mod space;
mod storage_errors;
mod store_key;
mod team;
mod time;
mod token;
mod tools;
mod waking;
