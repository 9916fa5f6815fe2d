use std::process::{Child, Stdio};

use crate::world::{Said, TestResult, World};

fn all_succeed(children: Vec<Child>) -> TestResult {
    for child in children {
        Said::from(child.wait_with_output()?).success()?;
    }
    Ok(())
}

#[test]
fn many_processes() -> TestResult {
    let world = World::new()?;
    let stop = world.path("stop");
    let script = "while ! test -e ../stop; do git config rig.test 1; git worktree list >/dev/null; git branch -q -f other; git pack-refs --all; done 2>/dev/null";
    let mut other = world.clean("sh", &world.repository).args(["-c", script]).spawn()?;
    let start = |number: usize| {
        let mut command = world.command(&["workspace", "create", &format!("Task {number}")]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    };
    let children = (0..24).map(start).collect::<Result<Vec<_>, _>>()?;
    let ended = all_succeed(children);
    std::fs::write(stop, "")?;
    other.wait()?;
    ended?;
    let listed = world.json(&["workspace", "list"])?;
    let rows = listed["workspaces"].as_array().cloned().unwrap_or_default();
    assert_eq!(rows.iter().filter(|row| row["status"] == "ready").count(), 24);
    Ok(())
}

#[test]
fn twelve_creates_at_once_from_the_remote_leave_nothing_behind() -> TestResult {
    let world = World::cloned()?;
    for round in 0..3 {
        let start = |number: usize| {
            let name = format!("Round {round} task {number}");
            let mut command =
                world.command(&["workspace", "create", &name, "--base", "origin/main"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
        };
        all_succeed((0..12).map(start).collect::<Result<Vec<_>, _>>()?)?;
        let listed = world.json(&["workspace", "list"])?;
        let rows = listed["workspaces"].as_array().cloned().unwrap_or_default();
        assert_eq!(rows.iter().filter(|row| row["status"] == "ready").count(), 12);
        for row in rows {
            let id = row["id"].as_str().unwrap_or_default();
            world.rig(&["workspace", "archive", id, "--delete-branch", "empty"])?.success()?;
        }
        assert_eq!(world.branches()?, ["main"]);
    }
    Ok(())
}

#[test]
fn one_id_from_ten_processes_makes_one_workspace() -> TestResult {
    let world = World::new()?;
    let id = "ws_01m8nsvd62f67tndkxwnbwbx30";
    let start = |_| {
        let mut command = world.command(&["workspace", "create", "Once", "--id", id]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    };
    all_succeed((0..10).map(start).collect::<Result<Vec<_>, _>>()?)?;
    let listed = world.json(&["workspace", "list"])?;
    assert_eq!(listed["workspaces"].as_array().map(Vec::len), Some(1));
    assert_eq!(world.branches()?, ["main", "worktree/once"]);
    let events = world.json(&["events"])?["events"].as_array().cloned().unwrap_or_default();
    assert_eq!(events.iter().filter(|event| event["type"] == "workspace.created").count(), 1);
    Ok(())
}
