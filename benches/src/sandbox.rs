use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use crate::Result;

/// Which `rig` is measured.
#[derive(Clone, Debug, clap::Args)]
pub struct RigBinary {
    /// The release build of `rig`; by default the one beside this program
    #[arg(long, env = "RIG_BIN")]
    pub rig: Option<PathBuf>,
}

/// A folder with a home, a state folder and a workspaces root of its own, where neither the user's
/// configuration of git nor their workspaces are seen.
#[derive(Debug)]
pub struct Sandbox {
    folder: TempDir,
    rig: PathBuf,
    sync_ms: Option<u32>,
}

/// How long a sync takes, where that is modelled.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ModelledSync {
    /// Keep everything in memory and let each sync of the store take so many milliseconds; 0 for the
    /// disk as it is. It takes a `rig` that was built with `--features failpoints`
    #[arg(long, default_value_t = 2)]
    pub sync_ms: u32,
}

/// Where files are in memory.
const MEMORY: &str = "/dev/shm";

impl Sandbox {
    /// A fresh one.
    ///
    /// # Errors
    ///
    /// If there is no such `rig`, or no folder can be made.
    pub fn new(binary: &RigBinary) -> Result<Self> {
        let rig = match &binary.rig {
            Some(rig) => rig.clone(),
            None => std::env::current_exe()?.with_file_name("rig"),
        };
        let rig = rig.canonicalize().map_err(|error| format!("{}: {error}", rig.display()))?;
        let sandbox = Self { folder: TempDir::with_prefix("rig-bench-")?, rig, sync_ms: None };
        std::fs::create_dir(sandbox.path("home"))?;
        Ok(sandbox)
    }

    /// A fresh one in memory, where each sync of the store takes as long as on a disk that is always
    /// equally fast.
    ///
    /// # Errors
    ///
    /// As [`Sandbox::new`]; also if this `rig` cannot model syncs, or nothing can be kept in memory.
    pub fn modelled(binary: &RigBinary, modelled: ModelledSync) -> Result<Self> {
        let sandbox = Self::new(binary)?;
        if modelled.sync_ms == 0 {
            return Ok(sandbox);
        }
        let folder = TempDir::with_prefix_in("rig-bench-", MEMORY)?;
        let sandbox = Self { folder, sync_ms: Some(modelled.sync_ms), ..sandbox };
        std::fs::create_dir(sandbox.path("home"))?;
        // A build that knows it refuses this, any other one does not look at it.
        let mut command = sandbox.rig(&sandbox.path("home"));
        command.args(["project", "list"]).env("RIG_MODEL_SYNC_MS", "as long as it likes");
        if output(&mut command).is_ok() {
            let path = sandbox.rig.display();
            return Err(format!("{path} cannot model syncs: build it with `--features failpoints`, or ask for `--sync-ms 0`").into());
        }
        Ok(sandbox)
    }

    /// A place in the sandbox.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `git` in `folder`, configured as it comes.
    #[must_use]
    pub fn git(&self, folder: &Path) -> Command {
        self.program("git".as_ref(), folder)
    }

    /// `rig` in `folder`.
    #[must_use]
    pub fn rig(&self, folder: &Path) -> Command {
        let mut command = self.program(&self.rig, folder);
        command
            .env("RIG_STATE_DIR", self.path("state"))
            .env("RIG_RUNTIME_DIR", self.path("runtime"))
            .env("RIG_WORKSPACES_DIRECTORY", self.path("workspaces"))
            .env("RIG_DAEMON", "never");
        if let Some(ms) = self.sync_ms {
            command.env("RIG_MODEL_SYNC_MS", ms.to_string());
        }
        command
    }

    fn program(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_")
                || name.to_string_lossy().starts_with("RIG_")
                || name.to_string_lossy().starts_with("XDG_")
            {
                command.env_remove(name);
            }
        }
        command
            .current_dir(folder)
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Runs a command to its end and answers with what it printed.
///
/// # Errors
///
/// If it cannot be started, or fails; then with what it said.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let child = command.spawn()?;
    finish(command, child)
}

pub(crate) fn finish(command: &Command, child: Child) -> Result<String> {
    let Output { status, stdout, stderr } = child.wait_with_output()?;
    if !status.success() {
        let said = String::from_utf8_lossy(&stderr);
        return Err(format!("{command:?} ended with {status}: {said}").into());
    }
    Ok(String::from_utf8_lossy(&stdout).trim_end().to_owned())
}
