//! Durations and instants as people, scripts and agents write them.
