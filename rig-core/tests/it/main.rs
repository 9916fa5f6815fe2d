//! Tests of rig-core.

mod group_commit;
