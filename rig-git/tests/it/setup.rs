//! Setup commands: their order, what they see, where their output goes, how they end.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::time::Timestamp;
use rig_core::workspace::{Outcome, Step, StepName};
use rig_git::Error;
use rig_git::setup::{log_path, run};

use crate::processes::{runs, terminate};
use crate::setup_world::{Setup, message};
use crate::world::{TestResult, World};

#[test]
fn setup_order() {
    let world = World::new();
    let a = "echo a >> order; echo to stdout; echo to stderr >&2";
    let mut setup = Setup::new(&world, &[a, "echo failing; false", "echo b >> order"]);
    let error = setup.run().unwrap_err();
    assert_eq!(
        message(&error),
        (
            "setup_failed",
            "setup command 2 ended with exit status 1: `echo failing; false`: failing".to_owned()
        )
    );
    assert_eq!(setup.read("order"), "a\n");
    let told = |step: &Step| (step.step, step.index, step.outcome, step.duration_ms);
    assert_eq!(
        setup.steps.iter().map(told).collect::<Vec<_>>(),
        [
            (StepName::Setup, Some(1), Outcome::Done, 1),
            (StepName::Setup, Some(2), Outcome::Failed, 1)
        ]
    );
    assert_eq!(setup.steps[1].detail.as_deref(), Some(error.to_string().as_str()));
    assert_eq!(
        setup.log_lines(),
        [
            "[rig] attempt 1 begins",
            "[rig] command 1 begins: echo a >> order; echo to stdout; echo to stderr >&2",
            "to stdout",
            "to stderr",
            "[rig] command 1 after 1 ms: exit status 0",
            "[rig] command 2 begins: echo failing; false",
            "failing",
            "[rig] command 2 after 1 ms: ended with exit status 1",
            "[rig] attempt 1 ended: setup_failed",
        ]
    );
    assert!(setup.log().starts_with("[rig] 2026-01-01T00:00:00.001Z attempt 1 begins\n"));
    assert_eq!(setup.shown.first().unwrap(), "Setup 1");
    assert_eq!(setup.shown[setup.shown.len() - 2..], ["Setup 2", "failing"]);
}

#[test]
fn setup_overlap() {
    let world = World::new();
    // Each waits for the other: one after the other they would never end.
    let meet = |own: &str, other: &str| {
        format!("touch ../{own}; until [ -e ../{other} ]; do sleep 0.01; done")
    };
    let mut one = Setup::at(&world, world.root().join("w/one"), &[&meet("a", "b")]).limit(20_000);
    let mut two = Setup::at(&world, world.root().join("w/two"), &[&meet("b", "a")]).limit(20_000);
    std::thread::scope(|scope| {
        let (one, two) = (scope.spawn(move || one.run()), scope.spawn(move || two.run()));
        one.join().unwrap().unwrap();
        two.join().unwrap().unwrap();
    });
}

#[test]
fn isolated_home() -> TestResult {
    let world = World::new();
    world.write("home/.profile", "FROM_PROFILE=of-this-home\nexport FROM_PROFILE\n");
    let command = r#"printf '%s\n' "$HOME" "$FROM_PROFILE" > seen"#;
    let mut setup = Setup::new(&world, &[command]);
    let expected = format!("{}\nof-this-home\n", world.home().display());
    setup.run()?;
    assert_eq!(setup.read("seen"), expected);
    // A machine without HOME does not fall back on the real user's.
    setup.machine.environment.retain(|(name, _)| name != "HOME");
    setup.run()?;
    assert_eq!(setup.read("seen"), expected);
    Ok(())
}

#[test]
fn a_command_sees_its_workspace_and_nobody_s_identity() -> TestResult {
    let world = World::new();
    let mut setup = Setup::new(&world, &["env > seen; pwd > where; cat > stdin"]);
    let handed = [
        ("GIT_DIR", "/elsewhere/.git"),
        ("GIT_INDEX_FILE", "/elsewhere/index"),
        ("GIT_WORK_TREE", "/elsewhere"),
        ("GIT_SSH_COMMAND", "ssh -i key"),
        ("RIG_AGENT_ID", "agt_x"),
        ("RIG_AGENT_TOKEN", "tok_x"),
        ("RIG_WORKSPACE_ID", "of another"),
        ("RIG_STATE_DIR", "/state"),
        ("KEPT", "kept"),
    ];
    let handed: Vec<_> = handed.iter().map(|(name, value)| (*name, OsStr::new(*value))).collect();
    setup.machine = world.machine_with(&handed);
    setup.run()?;
    let seen = setup.read("seen");
    let mut ours: Vec<_> = seen
        .lines()
        .filter(|line| {
            line.starts_with("RIG_") || line.starts_with("GIT_") || line.starts_with("KEPT")
        })
        .collect();
    ours.sort_unstable();
    let path = setup.workspace.path.display();
    assert_eq!(
        ours,
        [
            "GIT_CONFIG_NOSYSTEM=1",
            "GIT_SSH_COMMAND=ssh -i key",
            "KEPT=kept",
            "RIG_PROJECT_PATH=/the/project",
            "RIG_STATE_DIR=/state",
            "RIG_WORKSPACE_BRANCH=worktree/work",
            &format!("RIG_WORKSPACE_ID={}", setup.workspace.id),
            &format!("RIG_WORKSPACE_PATH={path}"),
        ]
    );
    assert_eq!(setup.read("where"), format!("{path}\n"));
    assert_eq!(setup.read("stdin"), "");
    Ok(())
}

#[test]
fn commands_run_in_the_users_login_shell() -> TestResult {
    let world = World::new();
    let shell = world.program("shell", r#"printf '<%s>' "$@" > asked"#).join("shell");
    let mut setup = Setup::new(&world, &["pnpm install  --frozen-lockfile"]);
    setup.machine.shell = shell;
    setup.run()?;
    assert_eq!(setup.read("asked"), "<-l><-c><pnpm install  --frozen-lockfile>");

    // A shell that is no absolute path, or none, is not looked for.
    for shell in ["", "shell"] {
        let mut setup = Setup::new(&world, &["echo $0 > asked"]);
        setup.machine.shell = shell.into();
        setup.run()?;
        assert_eq!(setup.read("asked"), "/bin/sh\n");
    }

    let mut setup = Setup::new(&world, &["true"]);
    setup.machine.shell = world.root().join("no-shell");
    let (code, message) = message(&setup.run().unwrap_err());
    assert_eq!(code, "setup_failed");
    assert!(message.starts_with("setup command 1 could not be run: "), "{message}");
    Ok(())
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_its_group() {
    let world = World::new();
    let slow = "sleep 300 & echo $! > pid; echo waiting; sleep 300";
    let mut setup = Setup::new(&world, &[slow, "touch later"]).limit(30_000);
    setup.config.workspace.setup_commands[0].timeout = Some(Duration::from_millis(300));
    let (code, message) = message(&setup.run().unwrap_err());
    assert_eq!(code, "setup_timed_out");
    assert_eq!(message, format!("setup command 1 took longer than 300ms: `{slow}`: waiting"));
    assert!(!runs(&setup.read("pid")));
    assert!(!setup.workspace.path.join("later").exists());
    assert!(setup.log().contains("command 1 after 1 ms: took longer than 300ms\n"));
}

#[test]
fn a_stopped_command_is_gone_with_its_group_and_no_step() {
    let world = World::new();
    let slow = "sleep 300 & echo $! > pid; echo now stop me; sleep 300";
    let mut setup = Setup::new(&world, &["true", slow, "touch later"]);
    assert!(matches!(setup.run(), Err(Error::Cancelled)));
    assert!(!runs(&setup.read("pid")));
    assert_eq!(setup.steps.len(), 1);
    assert_eq!(
        setup.log_lines()[setup.log_lines().len() - 3..],
        ["now stop me", "[rig] command 2 was stopped", "[rig] attempt 1 ended: cancelled"]
    );
    // Stopped already, nothing begins.
    fs::remove_file(setup.workspace.path.join("pid")).unwrap();
    assert!(matches!(setup.run(), Err(Error::Cancelled)));
    assert!(!setup.workspace.path.join("pid").exists());
}

#[test]
fn a_child_that_keeps_the_output_open_holds_up_nothing_and_is_left_alone() -> TestResult {
    let world = World::new();
    let mut setup = Setup::new(&world, &["sleep 300 & echo $!", "echo next"]).limit(60_000);
    setup.run()?;
    let pid = setup.log_lines()[2].clone();
    assert!(runs(&pid), "{:?}", setup.log_lines());
    terminate(&pid);
    Ok(())
}

#[test]
fn a_killed_command_has_failed_with_its_signal() {
    let world = World::new();
    let mut setup = Setup::new(&world, &["kill -9 $$"]);
    let (code, message) = message(&setup.run().unwrap_err());
    assert_eq!(code, "setup_failed");
    assert_eq!(message, "setup command 1 ended with signal 9: `kill -9 $$`: it printed nothing");
}

#[test]
fn the_message_keeps_the_end_of_the_output_however_long_all_is() {
    let world = World::new();
    let wordy = format!(
        "{} printf 'é%.0s' $(seq 999); printf 'the \\377 end\\n\\n'; exit 7",
        ": x;".repeat(99)
    );
    let mut setup = Setup::new(&world, &[&wordy]);
    let (code, message) = message(&setup.run().unwrap_err());
    assert_eq!(code, "setup_failed");
    assert!(
        message.starts_with("setup command 1 ended with exit status 7: `: x;: x;"),
        "{message}"
    );
    let end = format!("…`: {}the \u{fffd} end", "é".repeat(300 - 9));
    assert!(message.ends_with(&end), "{message}");
    assert!(message.chars().count() < 500);
    // The log has the bytes as they came.
    let log = fs::read(log_path(&world.state(), setup.workspace.id)).unwrap();
    let needle = b"the \xff end\n\n[rig] ";
    assert!(log.windows(needle.len()).any(|window| window == needle));
}

#[test]
fn the_log_is_private_and_outlives_attempts_and_the_workspace() -> TestResult {
    let world = World::new();
    let mut setup = Setup::new(&world, &["printf 'first, no line feed'; test -e mended"]);
    assert_eq!(setup.run().unwrap_err().code(), "setup_failed");
    fs::write(setup.workspace.path.join("mended"), "")?;
    setup.workspace.attempt = 2;
    setup.run()?;
    fs::remove_dir_all(&setup.workspace.path)?;
    assert_eq!(
        setup.log_lines(),
        [
            "[rig] attempt 1 begins",
            "[rig] command 1 begins: printf 'first, no line feed'; test -e mended",
            "first, no line feed",
            "[rig] command 1 after 1 ms: ended with exit status 1",
            "[rig] attempt 1 ended: setup_failed",
            "[rig] attempt 2 begins",
            "[rig] command 1 begins: printf 'first, no line feed'; test -e mended",
            "first, no line feed",
            "[rig] command 1 after 1 ms: exit status 0",
            "[rig] attempt 2 ended: done",
        ]
    );
    let log = log_path(&world.state(), setup.workspace.id);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&log), 0o600);
    assert_eq!((mode(log.parent().unwrap()), mode(&world.state().join("logs"))), (0o700, 0o700));
    Ok(())
}

#[test]
fn both_kinds_of_output_keep_their_order() -> TestResult {
    let world = World::new();
    let command = "for n in 1 2 3 4 5 6 7 8 9; do echo out $n; echo err $n >&2; done";
    let mut setup = Setup::new(&world, &[command]);
    setup.run()?;
    let said: Vec<_> = (1..10).flat_map(|n| [format!("out {n}"), format!("err {n}")]).collect();
    assert_eq!(setup.log_lines()[2..20], said);
    Ok(())
}

#[test]
fn without_commands_nothing_happens() -> TestResult {
    let world = World::new();
    let mut setup = Setup::new(&world, &[]);
    setup.run()?;
    assert!(setup.steps.is_empty() && setup.shown.is_empty());
    assert!(!world.state().join("logs").exists());
    Ok(())
}

#[test]
fn a_failing_record_of_a_step_ends_the_attempt() {
    let world = World::new();
    let setup = Setup::new(&world, &["true", "touch later"]);
    let ended = run(
        &setup.machine,
        &setup.workspace,
        Path::new("/the/project"),
        &setup.config,
        &Timestamp::default,
        &mut |_| {},
        &mut |_| Err(Error::NothingSaved { name: "x".to_owned(), why: String::new() }),
        &Cancel::new(),
    );
    assert_eq!(ended.unwrap_err().code(), "nothing_saved");
    assert!(!setup.workspace.path.join("later").exists());
}

#[test]
fn a_workspace_path_that_is_not_text_is_handed_on_as_it_is() -> TestResult {
    let world = World::new();
    let odd = world.root().join(OsString::from_vec(b"w\xff rk".to_vec()));
    if fs::create_dir(&odd).is_err() {
        return Ok(()); // This file system wants text.
    }
    let mut setup = Setup::at(&world, odd, &[r#"touch "$RIG_WORKSPACE_PATH/here""#]);
    setup.run()?;
    assert!(setup.workspace.path.join("here").exists());
    Ok(())
}
