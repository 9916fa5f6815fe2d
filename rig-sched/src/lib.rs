//! Durable waits and scheduled messages, and the parsing of durations and dates.

#![warn(missing_docs)]
#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods))]

pub mod parse;
