use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const OWN_NODE: &str = env!("CARGO_BIN_EXE_own_node");

/// A program with the environment of this test only.
fn program(home: &Path, name: &Path) -> Command {
    let mut command = Command::new(name);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).env("RIG_RUNTIME_DIR", home.join("run")).env("RIG_DAEMON", "never");
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("SHELL", "/bin/sh");
    command
}

fn said(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_command_and_a_program_with_a_node_of_its_own_work_on_the_same_state() {
    let folder = TempDir::new().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let rig = home.join("rig");
    symlink(OWN_NODE, &rig).unwrap();
    let git = |args: &[&str]| {
        let mut git = program(&home, Path::new("git"));
        git.args(["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]).args(args);
        said(git.current_dir(&home).output().unwrap())
    };
    git(&["init", "-q", "--initial-branch=main", "app"]);
    let app = home.join("app");
    git(&["-C", "app", "commit", "-q", "--allow-empty", "-m", "first"]);
    let ask = |args: &[&str]| {
        let output = program(&home, &rig).args(args).current_dir(&app).output().unwrap();
        let said = said(output);
        serde_json::from_str::<Value>(&said).unwrap_or(Value::String(said))
    };

    let mut host = program(&home, Path::new(OWN_NODE));
    host.arg(&app).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut host = host.spawn().unwrap();
    let mut tasks = host.stdin.take().unwrap();
    let mut paths = BufReader::new(host.stdout.take().unwrap()).lines();
    writeln!(tasks, "Retry budget").unwrap();
    let first = PathBuf::from(paths.next().unwrap().unwrap());
    assert!(first.join(".git").exists());

    // The command finds what the program made, and has the program carry out what it asks for.
    let listed = ask(&["--json", "workspace", "list"]);
    assert_eq!(listed["workspaces"][0]["name"], "Retry budget");
    let holder = std::fs::read(home.join(".local/state/rig/rig.lock")).unwrap();
    let holder: Value = serde_json::from_slice(&holder).unwrap();
    assert_eq!((&holder["role"], &holder["pid"]), (&"host".into(), &host.id().into()));
    let second = ask(&["workspace", "create", "Fix the docs"]);
    assert!(Path::new(second.as_str().unwrap().trim_end()).join(".git").exists());

    // It goes on with its own work, and leaves when that is done.
    writeln!(tasks, "Third").unwrap();
    assert!(paths.next().unwrap().unwrap().ends_with("/third"));
    drop(tasks);
    let ended = host.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let listed = ask(&["--json", "workspace", "list"]);
    assert_eq!(listed["workspaces"].as_array().map(Vec::len), Some(3));
    let left = home.join("run").read_dir().unwrap().count();
    assert_eq!(left, 0, "the socket is taken away");
}
