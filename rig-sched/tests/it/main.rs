//! The tests of rig-sched, a file per subject.
