use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::workspace::Workspace;

use crate::git;
use crate::machine::Machine;
use crate::process::{self, Ended};

/// Characters of a command that messages show, so that there is room for its output.
const SHOWN: usize = 100;

/// Runs a command line in the user's login shell, in the workspace, and hands its output on as it
/// comes.
pub(super) fn run(
    machine: &Machine,
    workspace: &Workspace,
    project_path: &Path,
    line: &str,
    limit: Duration,
    cancel: &Cancel,
    output: &mut dyn FnMut(&[u8]),
) -> io::Result<Ended> {
    let shell = if machine.shell.is_absolute() { &machine.shell } else { Path::new("/bin/sh") };
    let mut command = Command::new(shell);
    command.args(["-l", "-c", line]).current_dir(&workspace.path).env_clear().envs(environment(
        machine,
        workspace,
        project_path,
    ));
    process::run_in_order(command, limit, cancel, output)
}

/// What a command sees: the handed environment, without an agent's identity and what a surrounding
/// git set for itself, and where it is.
fn environment(
    machine: &Machine,
    workspace: &Workspace,
    project_path: &Path,
) -> Vec<(OsString, OsString)> {
    let mut environment = git::sanitized(&machine.environment);
    if !environment.iter().any(|(name, _)| name == "HOME") {
        // Without it a login shell looks up the real user's.
        environment.push(("HOME".into(), machine.home.clone().into()));
    }
    environment.push(("RIG_WORKSPACE_ID".into(), workspace.id.to_string().into()));
    environment.push(("RIG_WORKSPACE_PATH".into(), workspace.path.as_os_str().to_owned()));
    environment.push(("RIG_WORKSPACE_BRANCH".into(), workspace.branch.clone().into()));
    environment.push(("RIG_PROJECT_PATH".into(), project_path.into()));
    environment
}

/// A command as messages show it.
pub(super) fn shown(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

/// How a command ended, in words.
pub(super) fn ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}
