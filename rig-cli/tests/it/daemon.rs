use std::os::unix::fs::PermissionsExt as _;

use rustix::process::Signal;

use crate::crowd::until;
use crate::resident::{Stopped, leading, run, status};
use crate::world::{RIG, TestResult, World};

const RUN: [&str; 2] = ["daemon", "run"];

#[test]
fn starting_twice_leaves_one_daemon_and_stopping_frees_the_lock() -> TestResult {
    let world = World::new()?;
    let stopped = Stopped(&world);
    assert_eq!(world.rig(&["daemon", "start"])?.success()?, "");
    let first = status(&world);
    assert_eq!(first["role"], "daemon");
    assert_eq!(first["build"], env!("CARGO_PKG_VERSION"));
    assert_eq!(first["pending"], serde_json::json!({}));
    assert_eq!(first["lowSpace"], false);
    assert_eq!(world.rig(&["daemon", "status"])?.status, Some(0));

    world.rig(&["daemon", "start"])?.success()?;
    assert_eq!(status(&world)["pid"], first["pid"]);
    let said = world.rig(&["--json", "daemon", "run"])?;
    assert_eq!(said.error()?, ("already_running".to_owned(), Some(5)));
    assert!(said.stdout.contains(&first["pid"].to_string()), "{said:?}");
    world.rig(&["project", "add"])?.success()?;

    world.rig(&["daemon", "stop"])?.success()?;
    let lock = std::fs::File::open(world.path("state/rig.lock"))?;
    lock.try_lock()?;
    drop(lock);
    assert_eq!(world.rig(&["daemon", "status"])?.status, Some(3));
    world.rig(&["daemon", "stop"])?.success()?;
    let mode = |file| std::fs::metadata(world.path(file)).map(|it| it.permissions().mode() & 0o777);
    assert_eq!(mode("state/daemon.log")?, 0o600);
    drop(stopped);
    Ok(())
}

#[test]
fn asking_and_stopping_where_nobody_ever_led_makes_nothing() -> TestResult {
    let world = World::new()?;
    assert_eq!(status(&world)["role"], serde_json::Value::Null);
    assert_eq!(world.rig(&["daemon", "status"])?.status, Some(3));
    assert_eq!(world.rig(&["daemon", "stop"])?.status, Some(0));
    assert!(!world.path("state").exists());
    assert!(!world.path("run").exists());
    Ok(())
}

#[test]
fn start_in_a_pipeline_ends_at_once_and_keeps_nothing_of_its_callers() -> TestResult {
    let world = World::new()?;
    let _stopped = Stopped(&world);
    let mut shell = world.clean("/bin/sh", &world.repository);
    shell.args(["-c", "\"$1\" daemon start 7>&1 8<README 9>>\"$2\" | cat", "sh", RIG]);
    shell.arg(world.path("file"));
    assert_eq!(run(shell)?.success()?, "");
    let pid = status(&world)["pid"].to_string();
    if cfg!(target_os = "linux") {
        let mut open = Vec::new();
        for entry in std::fs::read_dir(format!("/proc/{pid}/fd"))? {
            let path = std::fs::read_link(entry?.path()).unwrap_or_default();
            open.push(path.to_string_lossy().into_owned());
        }
        let of_callers = |path: &&String| {
            path.ends_with("README") || path.ends_with("/file") || path.starts_with("pipe:")
        };
        assert_eq!(open.iter().find(of_callers), None, "{open:?}");
        let folder = std::fs::read_link(format!("/proc/{pid}/cwd"))?;
        assert_eq!(folder, world.path("state"));
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let session = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(3));
        assert_eq!(session, Some(pid.as_str()));
    }
    Ok(())
}

#[test]
fn a_daemon_that_ends_before_it_is_ready_tells_why() -> TestResult {
    let world = World::new()?;
    std::fs::create_dir(world.path("state"))?;
    std::fs::write(world.path("state/rig.redb"), "no store".repeat(1000))?;
    let said = world.rig(&["--json", "daemon", "start"])?;
    assert_eq!(said.error()?, ("daemon_not_ready".to_owned(), Some(1)));
    assert!(said.stdout.contains("rig.redb"), "{said:?}");
    Ok(())
}

#[test]
fn run_stands_in_line_behind_a_command_and_leads_when_it_is_done() -> TestResult {
    let world = World::new()?;
    let command = leading(&world, &["events", "--follow"])?;
    assert_eq!(status(&world)["role"], "command");
    assert_eq!(world.rig(&["daemon", "status"])?.status, Some(3));
    let daemon = world.start(&RUN)?;
    until("it stands in line", || status(&world)["heir"] == daemon.id());

    let said = world.rig(&["--json", "daemon", "run"])?;
    assert_eq!(said.error()?, ("already_running".to_owned(), Some(5)));
    world.rig(&["daemon", "start"])?.success()?;
    assert_eq!(status(&world)["heir"], daemon.id());

    assert_eq!(command.ended(Signal::TERM)?.status, Some(143));
    until("it leads", || status(&world)["pid"] == daemon.id());
    assert_eq!(status(&world)["role"], "daemon");
    assert_eq!(daemon.ended(Signal::TERM)?.status, Some(143));
    Ok(())
}

#[test]
fn start_is_done_once_the_daemon_stands_in_line_and_stop_sends_it_away() -> TestResult {
    let world = World::new()?;
    let _stopped = Stopped(&world);
    let command = leading(&world, &["events", "--follow"])?;
    world.rig(&["daemon", "start"])?.success()?;
    assert!(status(&world)["heir"].is_u64());
    world.rig(&["daemon", "stop"])?.success()?;
    until("nobody stands in line", || status(&world)["heir"].is_null());
    assert_eq!(status(&world)["pid"], command.id());
    // Only a command leads: there is no daemon to stop.
    world.rig(&["daemon", "stop"])?.success()?;
    assert_eq!(status(&world)["pid"], command.id());
    Ok(())
}

#[test]
fn a_daemon_ends_well_when_it_is_stopped_and_by_a_signal_otherwise() -> TestResult {
    let world = World::new()?;
    for (signal, ended) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let daemon = leading(&world, &RUN)?;
        assert_eq!(daemon.ended(signal)?.status, Some(ended));
    }
    let daemon = leading(&world, &RUN)?;
    let mut stops = Vec::new();
    for _ in 0..3 {
        stops.push(world.start(&["daemon", "stop"])?);
    }
    for stop in stops {
        assert_eq!(stop.ends()?.status, Some(0));
    }
    assert_eq!(daemon.ends()?.status, Some(0));
    Ok(())
}

#[test]
fn a_daemon_with_nothing_to_do_ends_once_nobody_is_connected() -> TestResult {
    let world = World::new()?;
    let daemon = leading(&world, &["daemon", "run", "--idle-exit", "1500ms"])?;
    let pid = daemon.id();
    let follower = world.start(&["events", "--follow"])?;
    until("somebody is connected", || status(&world)["connections"] == 2);
    // As long as that takes, it is connected.
    let idle = std::time::Instant::now();
    until("it would have ended", || idle.elapsed().as_millis() > 1700);
    assert_eq!(status(&world)["pid"], pid);
    assert_eq!(follower.ended(Signal::TERM)?.status, Some(143));
    assert_eq!(daemon.ends()?.status, Some(0));

    let said = world.rig(&["--json", "daemon", "run", "--idle-exit", "soon"])?;
    assert_eq!(said.error()?, ("bad_config".to_owned(), Some(2)));
    Ok(())
}

#[test]
fn a_log_that_has_grown_long_begins_anew() -> TestResult {
    let world = World::new()?;
    let _stopped = Stopped(&world);
    std::fs::create_dir(world.path("state"))?;
    let log = std::fs::File::create(world.path("state/daemon.log"))?;
    log.set_len(8 << 20)?;
    world.rig(&["daemon", "start"])?.success()?;
    assert_eq!(std::fs::metadata(world.path("state/daemon.log.1"))?.len(), 8 << 20);
    assert!(std::fs::metadata(world.path("state/daemon.log"))?.len() < 8 << 20);
    Ok(())
}

#[test]
fn unit_prints_a_service_file_that_runs_this_program_where_the_commands_look() -> TestResult {
    let world = World::new()?;
    let unit = world.rig(&["daemon", "unit", "--for", "systemd"])?.success()?;
    assert!(unit.contains(&format!("ExecStart=\"{RIG}\" daemon run\n")), "{unit}");
    let state = world.path("state").display().to_string();
    assert!(unit.contains(&format!("Environment=\"RIG_STATE_DIR={state}\"\n")), "{unit}");
    let agent = world.rig(&["daemon", "unit", "--for", "launchd"])?.success()?;
    assert!(agent.contains(&format!("<string>{RIG}</string>")), "{agent}");
    assert!(agent.contains(&format!("<string>{state}</string>")), "{agent}");
    Ok(())
}

#[cfg(feature = "failpoints")]
#[test]
fn a_daemon_killed_while_it_starts_is_told_of_and_nothing_is_in_the_way() -> TestResult {
    let world = World::new()?;
    for point in ["daemon.detached", "node.locked", "node.bound", "daemon.before_ready"] {
        let mut command = world.command(&["--json", "daemon", "start"]);
        command.env("RIG_FAILPOINT", point);
        let said = run(command)?;
        assert_eq!(said.error()?, ("daemon_not_ready".to_owned(), Some(1)), "{point}: {said:?}");
        assert_eq!(status(&world)["role"], serde_json::Value::Null, "{point}");
        world.rig(&["project", "list"])?.success()?;
    }
    let _stopped = Stopped(&world);
    world.rig(&["daemon", "start"])?.success()?;
    Ok(())
}
