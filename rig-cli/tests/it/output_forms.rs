use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use crate::world::{TestResult, World};

#[test]
fn colours_are_for_terminals_unless_asked_for() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "One"])?.success()?;
    assert!(!world.rig(&["workspace", "list"])?.stdout.contains('\u{1b}'));
    assert!(world.rig(&["--color", "always", "workspace", "list"])?.stdout.contains('\u{1b}'));
    let said = world.rig(&["--color", "always", "workspace", "path", "x"])?;
    assert!(said.stderr.starts_with("\u{1b}["), "{said:?}");
    Ok(())
}

#[test]
fn a_broken_pipe_is_success() -> TestResult {
    let world = World::new()?;
    let mut child = world.command(&["schema"]).stdout(Stdio::piped()).spawn()?;
    let mut stdout = child.stdout.take().ok_or("no pipe")?;
    stdout.read_exact(&mut [0])?;
    drop(stdout);
    assert_eq!(child.wait()?.code(), Some(0));
    Ok(())
}

#[test]
fn quiet_prints_nothing_but_data_and_errors() -> TestResult {
    let world = World::new()?;
    let said = world.rig(&["-q", "workspace", "create", "Later", "--no-wait"])?;
    assert_eq!(said.stderr, "");
    assert_eq!(said.stdout.lines().count(), 1);
    Ok(())
}

#[test]
fn rig_log_and_verbose_log_to_standard_error() -> TestResult {
    let world = World::new()?;
    let said = world.rig(&["-v", "workspace", "list"])?;
    assert!(said.stderr.contains("list_workspaces"), "{said:?}");
    assert_eq!(said.stdout, "");
    let output = world.command(&["workspace", "list"]).env("RIG_LOG", "rig_cli=debug").output()?;
    assert!(String::from_utf8_lossy(&output.stderr).contains("list_workspaces"));
    Ok(())
}

#[test]
fn control_characters_of_a_path_do_not_reach_the_terminal() -> TestResult {
    let world = World::new()?;
    let folder = world.path("a\u{1b}[31mb\nc");
    std::fs::create_dir(&folder)?;
    world.rig_in(&folder, &["project", "add"])?.success()?;
    let table = world.rig(&["project", "list"])?.success()?;
    assert!(!table.contains('\u{1b}'), "{table:?}");
    assert_eq!(table.lines().count(), 2, "{table:?}");
    Ok(())
}

#[test]
fn help_and_version_go_to_stdout() -> TestResult {
    let world = World::new()?;
    let version = world.rig(&["--version"])?.success()?;
    assert_eq!(version, format!("rig {}\n", env!("CARGO_PKG_VERSION")));
    for args in [&["--help"][..], &["workspace", "create", "--help"], &["help", "workspace"]] {
        let said = world.rig(args)?;
        assert_eq!(said.stderr, "");
        assert!(said.success()?.contains("Usage: rig"), "{args:?}");
    }
    assert!(!world.rig(&["--help"])?.stdout.contains("__work"));
    Ok(())
}

#[test]
fn a_rig_that_has_to_wait_for_another_says_so_and_gives_up_in_the_end() -> TestResult {
    let world = World::new()?;
    world.rig(&["project", "add"])?.success()?;
    let lock = std::fs::File::options().write(true).open(world.path("state/rig.lock"))?;
    lock.lock()?;
    let mut waiting = world.command(&["--json", "project", "list"]);
    let mut waiting = waiting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut told = String::new();
    BufReader::new(waiting.stderr.take().ok_or("no pipe")?).read_line(&mut told)?;
    assert!(told.contains("waiting for the rig that leads"), "{told}");
    let ended = waiting.wait_with_output()?;
    let error: serde_json::Value = serde_json::from_slice(&ended.stdout)?;
    assert_eq!(error["error"]["code"], "leader_silent");
    assert_eq!(ended.status.code(), Some(7));
    drop(lock);
    world.rig(&["project", "list"])?.success()?;
    Ok(())
}
