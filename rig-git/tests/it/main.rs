//! Tests of rig-git.

mod sync;
