use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use crate::{Repository, Result};

/// A resident daemon, until this is dropped.
#[derive(Debug)]
pub struct Daemon<'a> {
    repository: &'a Repository<'a>,
    pid: u32,
}

impl<'a> Daemon<'a> {
    /// Starts it; it leads when this returns.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start(repository: &'a Repository<'a>) -> Result<Self> {
        repository.rig(&["daemon", "start"])?;
        let status: serde_json::Value =
            serde_json::from_str(&repository.rig(&["--json", "daemon", "status"])?)?;
        let pid = status["pid"].as_u64().ok_or("the daemon tells no process")?;
        Ok(Self { repository, pid: u32::try_from(pid)? })
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// What Linux tells about it in this file of `/proc`.
    ///
    /// # Errors
    ///
    /// If it has ended, or this is no Linux.
    pub fn proc(&self, file: &str) -> Result<String> {
        Ok(std::fs::read_to_string(Path::new("/proc").join(self.pid.to_string()).join(file))?)
    }

    /// Its resident memory, in KiB.
    ///
    /// # Errors
    ///
    /// As [`Daemon::proc`].
    pub fn memory(&self) -> Result<u64> {
        field(&self.proc("status")?, "VmRSS:").ok_or_else(|| "it tells no memory".into())
    }

    /// How often each of its threads gave up the processor by itself, and so was woken again.
    ///
    /// # Errors
    ///
    /// As [`Daemon::proc`].
    pub fn wakes(&self) -> Result<BTreeMap<OsString, u64>> {
        let mut wakes = BTreeMap::new();
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.pid))? {
            let thread = thread?;
            // One that has ended meanwhile wakes no more.
            let status = std::fs::read_to_string(thread.path().join("status")).unwrap_or_default();
            let times = field(&status, "voluntary_ctxt_switches:").unwrap_or_default();
            wakes.insert(thread.file_name(), times);
        }
        Ok(wakes)
    }
}

impl Drop for Daemon<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.repository.rig(&["daemon", "stop"]) {
            eprintln!("{error}");
        }
    }
}

/// The number after this name.
fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
