//! Processes that a test looks for. No program is asked: `ps` and `kill` are not on every machine.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

fn parsed(pid: &str) -> Pid {
    Pid::from_raw(pid.trim().parse().unwrap()).unwrap()
}

/// Whether a process with this ID runs. An orphan that nobody has reaped does not.
pub(crate) fn runs(pid: &str) -> bool {
    if !Path::new("/proc/self/stat").exists() {
        return test_kill_process(parsed(pid)).is_ok();
    }
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let state = stat.rsplit(')').next().and_then(|fields| fields.split_whitespace().next());
    state.is_some_and(|state| !matches!(state, "Z" | "X"))
}

/// Asks a process to end.
pub(crate) fn terminate(pid: &str) {
    kill_process(parsed(pid), Signal::TERM).unwrap();
}
