use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// Sends `signal` to all processes of a group; that there are none any more is fine.
pub(super) fn signal(group: Pid, signal: Signal) {
    // The only other answer is that some of them may not be signalled, since they changed user.
    let _ = kill_process_group(group, signal);
}

/// Whether any process of a group still runs.
pub(super) fn is_alive(group: Pid) -> bool {
    test_kill_process_group(group) != Err(Errno::SRCH) && has_more_than_zombies(group)
}

/// Orphans that have ended stay in their group until the init process has noticed, and in many
/// containers it never does.
#[cfg(target_os = "linux")]
fn has_more_than_zombies(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    let group = group.as_raw_pid().to_string();
    processes.flatten().any(|process| {
        let Ok(stat) = std::fs::read(process.path().join("stat")) else { return false };
        // `pid (name) state parent group …`, and a name may hold anything.
        let after_name = stat.rsplit(|&byte| byte == b')').next().unwrap_or_default();
        let mut fields =
            after_name.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let state = fields.next();
        fields.nth(1) == Some(group.as_bytes()) && !matches!(state, Some(b"Z" | b"X"))
    })
}

#[cfg(not(target_os = "linux"))]
fn has_more_than_zombies(_: Pid) -> bool {
    true
}
