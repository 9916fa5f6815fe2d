use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::world::{self, TestResult, World};

/// Starts a command, lets it run for so long, and sends it a signal.
fn ended_after(world: &World, args: &[&str], microseconds: u64, signal: &str) -> TestResult {
    let mut command = world.command(args);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let began = Instant::now();
    while began.elapsed() < Duration::from_micros(microseconds) {
        std::thread::yield_now();
    }
    // It may have ended by itself.
    world::signal(&child, signal)?;
    child.wait()?;
    Ok(())
}

fn killed_after(world: &World, args: &[&str], microseconds: u64) -> TestResult {
    ended_after(world, args, microseconds, "-KILL")
}

/// Moments from the start of a command to after its end.
fn moments() -> impl Iterator<Item = u64> {
    (0..12).map(|step| 1_000 + step * 13_000)
}

fn count(world: &World, status: &str) -> Result<usize, Box<dyn std::error::Error>> {
    let listed = world.json(&["workspace", "list", "--all"])?;
    let rows = listed["workspaces"].as_array().cloned().unwrap_or_default();
    Ok(rows.iter().filter(|row| row["status"] == status).count())
}

/// A repository whose checkout takes a while.
fn of_many_files() -> Result<World, Box<dyn std::error::Error>> {
    let world = World::new()?;
    for number in 0..600 {
        let folder = world.repository.join(format!("folder-{}", number % 20));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(number.to_string()), format!("content {number}\n"))?;
    }
    world.commit("many")?;
    Ok(world)
}

fn create_is_carried_on_after(signal: &str) -> TestResult {
    let world = of_many_files()?;
    for (number, moment) in moments().enumerate() {
        let id = format!("ws_01m8nsvd62f67tndkxwnbwbx{number:02}");
        let args = ["workspace", "create", "Ended", "--id", &id];
        ended_after(&world, &args, moment, signal)?;
        world.rig(&args)?.success()?;
        let shown = world.json(&["workspace", "show", &id])?;
        assert_eq!(shown["status"], "ready");
        assert_eq!(shown["branch"], shown["currentBranch"]);
        let path = shown["path"].as_str().unwrap_or_default();
        assert_eq!(world.git_in(path.as_ref(), &["status", "--short"])?, "");
    }
    assert_eq!(count(&world, "ready")?, 12);
    assert_eq!(world.branches()?.len(), 13);
    assert_eq!(world.json(&["store", "check"])?["findings"], serde_json::json!([]));
    Ok(())
}

#[test]
fn a_create_that_was_killed_is_carried_on_by_the_same_command() -> TestResult {
    create_is_carried_on_after("-KILL")
}

#[test]
fn a_create_that_was_interrupted_is_carried_on_by_the_same_command() -> TestResult {
    create_is_carried_on_after("-INT")
}

#[test]
fn a_rename_that_was_killed_leaves_one_branch() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "Start"])?.success()?;
    let id =
        world.json(&["workspace", "show", "start"])?["id"].as_str().unwrap_or_default().to_owned();
    for (number, moment) in moments().enumerate() {
        let name = format!("Name {number}");
        killed_after(&world, &["workspace", "rename", &id, &name], moment)?;
        world.rig(&["workspace", "retry", &id])?.success()?;
        let shown = world.json(&["workspace", "show", &id])?;
        assert_eq!(shown["branch"], shown["currentBranch"], "{shown}");
        assert_eq!(world.branches()?.len(), 2);
    }
    Ok(())
}

#[test]
fn an_archive_that_was_killed_is_carried_on_by_the_same_command() -> TestResult {
    let world = World::new()?;
    for (number, moment) in moments().enumerate() {
        let name = format!("Task {number}");
        let created = world.json(&["workspace", "create", &name])?;
        let (id, path) =
            (created["id"].as_str().unwrap_or(""), created["path"].as_str().unwrap_or(""));
        std::fs::write(format!("{path}/new"), "work\n")?;
        killed_after(&world, &["workspace", "archive", id], moment)?;
        world.rig(&["workspace", "archive", id])?.success()?;
        assert!(!std::path::Path::new(path).exists());
        let saved = format!("refs/rig/archived/{id}:new");
        assert_eq!(world.git(&["cat-file", "-p", &saved])?, "work");
    }
    assert_eq!(count(&world, "archived")?, 12);
    assert_eq!(world.git(&["worktree", "list"])?.lines().count(), 1);
    Ok(())
}
