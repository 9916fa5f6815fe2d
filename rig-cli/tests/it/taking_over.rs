use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::crowd::leader;
use crate::resident::{Stays, run, status, until};
use crate::world::{Said, TestResult, World};

#[test]
fn leader_leaves() -> TestResult {
    let world = World::new()?;
    let setup = "while ! test -e $RIG_PROJECT_PATH/../go; do sleep 0.02; done";
    world.configure(&format!("workspace.setup_commands = ['{setup}']\n"))?;
    world.commit("setup")?;
    let first = Stays::leading(&world, world.command(&["workspace", "create", "Slow"]))?;
    let second = Stays::start(world.command(&["events", "--follow"]))?;
    until("the second follows", || status(&world)["connections"] == 2);
    std::fs::write(world.path("go"), "")?;
    first.finished()?.success()?;
    until("the second leads", || status(&world)["pid"] == second.pid());
    world.rig(&["project", "rename", "retries", "Other"])?.success()?;
    let said = second.end("-INT")?;
    assert_eq!(said.status, Some(130));
    assert_eq!(said.stdout.matches("project.changed").count(), 1, "{said:?}");
    assert_eq!(said.stdout.matches("workspace.ready").count(), 1, "{said:?}");
    Ok(())
}

#[test]
fn signal_leader() -> TestResult {
    let world = World::new()?;
    let first = Stays::leading(&world, world.command(&["wait", "1h"]))?;
    let follow = |key| Stays::start(world.command(&["wait", "1h", "--key", key]));
    let others = [follow("a")?, follow("b")?];
    until("both wait", || status(&world)["pending"]["wait"] == 3);
    assert_eq!(first.end("-TERM")?.status, Some(143));
    until("another one leads", || {
        let leader = status(&world)["pid"].clone();
        others.iter().any(|other| leader == other.pid())
    });
    until("both wait on", || status(&world)["connections"] == 2);
    assert_eq!(status(&world)["pending"]["wait"], 2);
    for other in others {
        assert_eq!(other.end("-TERM")?.status, Some(143));
    }
    let events = world.json(&["events"])?["events"].clone();
    let events = events.as_array().cloned().unwrap_or_default();
    let ended = events.iter().filter(|event| event["type"] == "wait.ended").count();
    assert_eq!(ended, 1, "{events:?}");
    Ok(())
}

#[test]
fn a_second_signal_ends_a_leader_at_once() -> TestResult {
    let world = World::new()?;
    world.configure("workspace.setup_commands = ['trap \"\" TERM; sleep 600']\n")?;
    world.commit("setup")?;
    world.rig(&["workspace", "create", "Stuck", "--no-wait"])?.success()?;
    let daemon = Stays::leading(&world, world.command(&["daemon", "run"]))?;
    let ended = std::time::Instant::now();
    let pid = rustix::process::Pid::from_raw(i32::try_from(daemon.pid())?).ok_or("no process")?;
    rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
    let said = daemon.end("-TERM")?;
    assert_eq!(said.status, Some(143));
    assert!(ended.elapsed().as_secs() < 10, "{said:?}");
    Ok(())
}

#[test]
fn stale_socket() -> TestResult {
    let world = World::new()?;
    let daemon = Stays::leading(&world, world.command(&["daemon", "run"]))?;
    let body = std::fs::read_to_string(world.path("state/rig.lock"))?;
    let dead = daemon.pid();
    daemon.end("-KILL")?;
    assert!(sockets(&world)? == 1);
    // The process is another program's now: this one's.
    let ours = std::process::id();
    let body = body.replace(&format!("\"pid\":{dead}"), &format!("\"pid\":{ours}"));
    std::fs::write(world.path("state/rig.lock"), body)?;
    world.rig(&["project", "list"])?.success()?;
    assert_ne!(leader(&world), Some(ours));
    assert_eq!(sockets(&world)?, 0);
    Ok(())
}

fn sockets(world: &World) -> std::io::Result<usize> {
    Ok(std::fs::read_dir(world.path("run"))?.count())
}

#[test]
fn socket_removed() -> TestResult {
    let world = World::new()?;
    let daemon = Stays::leading(&world, world.command(&["daemon", "run"]))?;
    let socket = status(&world)["socket"].as_str().map(Path::new).map(Path::to_owned);
    let socket = socket.ok_or("it listens nowhere")?;
    std::fs::remove_file(&socket)?;
    let removed = std::time::Instant::now();
    world.rig(&["project", "add"])?.success()?;
    assert!(socket.exists());
    assert!(removed.elapsed().as_secs() < 10);
    assert_eq!(status(&world)["pid"], daemon.pid());
    Ok(())
}

#[test]
fn other_runtime_folder() -> TestResult {
    let world = World::new()?;
    let daemon = Stays::leading(&world, world.command(&["daemon", "run"]))?;
    let mut command = world.command(&["--json", "daemon", "status"]);
    command.env("RIG_RUNTIME_DIR", world.path("elsewhere"));
    let told: serde_json::Value = serde_json::from_str(&run(command)?.success()?)?;
    assert_eq!(told["pid"], daemon.pid());
    let mut command = world.command(&["project", "add"]);
    command.env("RIG_RUNTIME_DIR", world.path("elsewhere"));
    run(command)?.success()?;
    assert_eq!(status(&world)["pid"], daemon.pid());
    Ok(())
}

fn refused_for_its_folder(world: &World) -> TestResult {
    for args in [&["project", "list"][..], &["daemon", "run"], &["daemon", "start"]] {
        let said = Said::from(world.command(&["--json"]).args(args).output()?);
        assert_eq!(said.error()?, ("runtime_folder_unsafe".to_owned(), Some(4)), "{args:?}");
        assert!(said.stdout.contains(&world.path("run").display().to_string()), "{said:?}");
    }
    Ok(())
}

#[test]
fn linked_runtime_folder() -> TestResult {
    let world = World::new()?;
    std::fs::create_dir(world.path("elsewhere"))?;
    std::fs::set_permissions(world.path("elsewhere"), Permissions::from_mode(0o700))?;
    std::os::unix::fs::symlink("elsewhere", world.path("run"))?;
    refused_for_its_folder(&world)?;
    assert_eq!(std::fs::read_dir(world.path("elsewhere"))?.count(), 0);
    Ok(())
}

#[test]
fn a_runtime_folder_of_somebody_else_or_open_to_others_is_refused() -> TestResult {
    let world = World::new()?;
    std::fs::create_dir(world.path("run"))?;
    std::fs::set_permissions(world.path("run"), Permissions::from_mode(0o755))?;
    refused_for_its_folder(&world)?;
    std::fs::set_permissions(world.path("run"), Permissions::from_mode(0o700))?;
    // Only root can give it away.
    if std::os::unix::fs::chown(world.path("run"), Some(1), None).is_ok() {
        refused_for_its_folder(&world)?;
    }
    Ok(())
}

#[test]
fn a_state_path_of_150_bytes_has_its_socket_elsewhere() -> TestResult {
    let world = World::new()?;
    let long = world.path("x".repeat(150));
    let command = |args: &[&str]| {
        let mut command = world.command(args);
        command.env("RIG_STATE_DIR", long.join("state")).env("RIG_RUNTIME_DIR", long.join("run"));
        command
    };
    run(command(&["daemon", "start"]))?.success()?;
    let told = run(command(&["--json", "daemon", "status"]))?.success();
    let added = run(command(&["project", "add"]))?.success();
    run(command(&["daemon", "stop"]))?.success()?;
    added?;
    let told: serde_json::Value = serde_json::from_str(&told?)?;
    let socket = told["socket"].as_str().unwrap_or_default();
    assert!(socket.len() <= 100, "{socket}");
    assert!(socket.starts_with("/tmp/rig-"), "{socket}");
    assert!(!Path::new(socket).exists());
    Ok(())
}
