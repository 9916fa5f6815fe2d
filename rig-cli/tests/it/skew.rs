//! Two builds side by side, both played by this one.

use std::process::Command;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::crowd::{Running, until};
use crate::resident::{run, started, status};
use crate::world::{Said, TestResult, World};

/// `rig`, as a build of this version that speaks these protocols.
fn build(world: &World, version: &str, protocol: [u32; 2], args: &[&str]) -> Command {
    without(world, version, protocol, &[], args)
}

/// The same, which lacks some operations.
fn without(
    world: &World,
    version: &str,
    protocol: [u32; 2],
    operations: &[&str],
    args: &[&str],
) -> Command {
    let mut command = world.command(&["--json"]);
    let played = json!({
        "build": version, "protocol": protocol, "schema": 1, "without": operations,
    });
    command.args(args).env("RIG_BUILD", played.to_string());
    command
}

/// Starts a daemon, and waits until it leads.
fn daemon(world: &World, command: Command) -> Result<Running, Box<dyn std::error::Error>> {
    let daemon = started(command)?;
    until("it leads", || lock_body(world)["pid"] == daemon.id() && connects(world));
    Ok(daemon)
}

fn lock_body(world: &World) -> Value {
    let body = std::fs::read(world.path("state/rig.lock")).unwrap_or_default();
    serde_json::from_slice(&body).unwrap_or_default()
}

/// Whether whoever leads listens: it says at least that it speaks another language.
fn connects(world: &World) -> bool {
    let said = world.rig(&["--json", "daemon", "status"]);
    said.is_ok_and(|said| !said.stdout.contains("\"role\":null"))
}

const LIST: [&str; 2] = ["project", "list"];
const DAEMON: [&str; 2] = ["daemon", "run"];

fn is_skew(said: &Said) -> bool {
    said.error().is_ok_and(|error| error == ("version_skew".to_owned(), Some(5)))
}

#[test]
fn the_highest_common_protocol_is_spoken_whatever_the_builds() -> TestResult {
    let world = World::new()?;
    let old = daemon(&world, build(&world, "0.1.0", [1, 2], &DAEMON))?;
    for (version, protocol) in [("0.2.0", [2, 3]), ("0.0.9", [1, 1]), ("0.1.0", [1, 2])] {
        run(build(&world, version, protocol, &LIST))?.success()?;
    }
    assert_eq!(status(&world)["pid"], old.id());
    Ok(())
}

#[test]
fn a_newer_client_has_an_older_leader_leave_and_leads() -> TestResult {
    let world = World::new()?;
    let old = daemon(&world, build(&world, "0.1.0", [1, 1], &DAEMON))?;
    run(build(&world, "0.2.0", [2, 3], &["project", "add"]))?.success()?;
    assert_eq!(old.ends()?.status, Some(0));
    // Nobody leads any more.
    assert_eq!(lock_body(&world)["build"], "0.2.0");
    run(build(&world, "0.1.0", [1, 1], &LIST))?.success()?;
    Ok(())
}

#[test]
fn an_older_client_is_told_of_the_newer_leader() -> TestResult {
    let world = World::new()?;
    let new = daemon(&world, build(&world, "0.2.0", [2, 3], &DAEMON))?;
    let said = run(build(&world, "0.1.0", [1, 1], &LIST))?;
    assert!(is_skew(&said), "{said:?}");
    for part in ["1 to 1", "2 to 3", "0.2.0", &new.id().to_string()] {
        assert!(said.stdout.contains(part), "{part}: {said:?}");
    }
    // It can be stopped even so.
    run(build(&world, "0.1.0", [1, 1], &["daemon", "stop"]))?.success()?;
    assert_eq!(new.ends()?.status, Some(0));
    Ok(())
}

#[test]
fn a_leader_of_another_build_that_lacks_an_operation_leaves() -> TestResult {
    let world = World::new()?;
    let lacking = |version| without(&world, version, [1, 1], &["list_projects"], &DAEMON);
    let old = daemon(&world, lacking("0.1.0"))?;
    // Of its own build nobody knows better.
    let said = run(build(&world, "0.1.0", [1, 1], &LIST))?;
    assert_eq!(said.error()?, ("unknown_operation".to_owned(), Some(5)));
    run(build(&world, "0.2.0", [1, 1], &LIST))?.success()?;
    assert_eq!(old.ends()?.status, Some(0));
    Ok(())
}

#[test]
fn who_only_asks_has_nobody_leave() -> TestResult {
    let world = World::new()?;
    let old = daemon(&world, build(&world, "0.1.0", [1, 1], &DAEMON))?;
    let said = run(build(&world, "0.2.0", [2, 2], &["daemon", "status"]))?;
    assert!(is_skew(&said), "{said:?}");
    assert_eq!(status(&world)["pid"], old.id());
    Ok(())
}

#[test]
fn a_newer_daemon_takes_the_place_of_an_older_one() -> TestResult {
    let world = World::new()?;
    let old = daemon(&world, build(&world, "0.1.0", [1, 1], &DAEMON))?;
    run(build(&world, "0.2.0", [2, 2], &["daemon", "start"]))?.success()?;
    assert_eq!(old.ends()?.status, Some(0));
    assert_eq!(lock_body(&world)["build"], "0.2.0");
    run(build(&world, "0.2.0", [2, 2], &["daemon", "stop"]))?.success()?;
    Ok(())
}

#[test]
fn who_began_by_a_drain_leaves_for_nobody_for_a_minute() -> TestResult {
    let world = World::new()?;
    let old = daemon(&world, build(&world, "0.1.0", [1, 1], &DAEMON))?;
    let new = daemon(&world, build(&world, "0.2.0", [2, 2], &DAEMON))?;
    assert_eq!(old.ends()?.status, Some(0));
    let said = run(build(&world, "0.3.0", [3, 3], &LIST))?;
    assert!(is_skew(&said), "{said:?}");
    assert!(said.stdout.contains("60 s"), "{said:?}");
    run(build(&world, "0.2.0", [2, 2], &LIST))?.success()?;
    assert_eq!(new.ended(Signal::TERM)?.status, Some(143));
    Ok(())
}

#[test]
fn a_daemon_in_line_behind_who_began_by_a_drain_leaves_for_nobody_either() -> TestResult {
    let world = World::new()?;
    let old = daemon(&world, build(&world, "0.1.0", [1, 1], &DAEMON))?;
    let new = daemon(&world, build(&world, "0.2.0", [2, 2], &["events", "--follow"]))?;
    assert_eq!(old.ends()?.status, Some(0));
    run(build(&world, "0.2.0", [2, 2], &["daemon", "start"]))?.success()?;
    assert_eq!(new.ended(Signal::TERM)?.status, Some(143));
    until("the daemon leads", || lock_body(&world)["role"] == "daemon" && connects(&world));
    let said = run(build(&world, "0.3.0", [3, 3], &LIST))?;
    assert!(is_skew(&said), "{said:?}");
    run(build(&world, "0.2.0", [2, 2], &["daemon", "stop"]))?.success()?;
    Ok(())
}

#[test]
fn who_serves_somebody_of_its_own_build_who_waits_does_not_leave() -> TestResult {
    let world = World::new()?;
    let old = daemon(&world, build(&world, "0.1.0", [1, 1], &["events", "--follow"]))?;
    let said = run(build(&world, "0.2.0", [2, 2], &LIST))?;
    assert!(is_skew(&said), "{said:?}");
    assert_eq!(lock_body(&world)["pid"], old.id());
    // It is no reason to stay that others wait.
    assert_eq!(old.ended(Signal::TERM)?.status, Some(143));
    let old = daemon(&world, build(&world, "0.1.0", [1, 2], &DAEMON))?;
    let waits = started(build(&world, "0.2.0", [2, 2], &["events", "--follow"]))?;
    until("it waits", || status(&world)["connections"] == 2);
    // Who waits may lead before the one who asked for it does.
    let said = run(build(&world, "0.3.0", [3, 3], &LIST))?;
    assert!(is_skew(&said) || said.status == Some(0), "{said:?}");
    assert_eq!(old.ends()?.status, Some(0));
    drop(waits);
    Ok(())
}

#[test]
fn two_builds() -> TestResult {
    let world = World::new()?;
    let old = daemon(&world, build(&world, "0.1.0", [1, 1], &DAEMON))?;
    let mut drains = 0;
    for _ in 0..10 {
        for (version, protocol) in [("0.2.0", [2, 2]), ("0.1.0", [1, 1])] {
            let before = lock_body(&world);
            let said = run(build(&world, version, protocol, &LIST))?;
            assert!(is_skew(&said) || said.status == Some(0), "{said:?}");
            let after = lock_body(&world);
            drains += u32::from(before != after && after["drained"].is_object());
        }
    }
    assert_eq!(drains, 1);
    assert_eq!(old.ends()?.status, Some(0));
    Ok(())
}

#[test]
fn half_a_line_and_no_common_protocol_hold_nobody() -> TestResult {
    use std::io::{Read as _, Write as _};
    let world = World::new()?;
    let old = daemon(&world, build(&world, "0.1.0", [1, 1], &DAEMON))?;
    let socket = status(&world)["socket"].as_str().unwrap_or_default().to_owned();
    let mut half = std::os::unix::net::UnixStream::connect(&socket)?;
    half.write_all(b"{\"hello\"")?;
    let mut other = std::os::unix::net::UnixStream::connect(&socket)?;
    let hello = json!({"hello": {"protocol": [7, 7], "build": "7", "schema": 1, "agent": null}});
    other.write_all(format!("{hello}\n").as_bytes())?;
    world.rig(&["project", "list"])?.success()?;
    // Both are dropped in the end.
    let (mut told, mut nothing) = (String::new(), String::new());
    other.read_to_string(&mut told)?;
    assert!(told.contains("version_skew"), "{told}");
    half.read_to_string(&mut nothing)?;
    assert_eq!(nothing, "");
    assert_eq!(old.ended(Signal::TERM)?.status, Some(143));
    Ok(())
}
