//! Runs a program in a session of its own, for a bounded time.

use std::fs::File;
use std::io;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use rig_core::cancel::Cancel;

/// Where output came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// How a program ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
}

/// Runs `command` with no terminal and an empty standard input (or `input`) until its own process
/// ends, and hands its output on as it comes.
pub(crate) fn run(
    command: Command,
    input: Option<File>,
    limit: Duration,
    cancel: &Cancel,
    output: &mut dyn FnMut(Stream, &[u8]),
) -> io::Result<Ended> {
    let _ = (command, input, limit, cancel, output);
    todo!()
}
