use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use crate::crowd::{Running, leader, until};
use crate::world::{Said, TestResult, World};

fn started(mut command: Command) -> std::io::Result<Running> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::start(&mut command)
}

#[test]
fn socket_removed() -> TestResult {
    let world = World::new()?;
    let leads = world.start(&["events", "--follow"])?;
    until("it leads", || leader(&world) == Some(leads.id()));
    world.rig(&["project", "list"])?.success()?;
    let socket = world.socket()?;
    fs::remove_file(&socket)?;
    let calls: Vec<_> =
        (0..3).map(|_| world.start(&["project", "add"])).collect::<Result<_, _>>()?;
    for call in calls {
        call.ends()?.success()?;
    }
    assert!(socket.exists(), "it is bound again");
    assert_eq!(leader(&world), Some(leads.id()), "the leader stays");
    assert!(!leads.is_over());
    Ok(())
}

#[test]
fn runtime_folder_removed() -> TestResult {
    let world = World::new()?;
    let leads = world.start(&["events", "--follow"])?;
    until("it leads", || leader(&world) == Some(leads.id()));
    world.rig(&["project", "list"])?.success()?;
    fs::remove_dir_all(world.path("run"))?;
    world.start(&["project", "add"])?.ends()?.success()?;
    assert!(!leads.is_over());
    assert_eq!(leader(&world), Some(leads.id()), "the leader stays");
    Ok(())
}

#[test]
fn a_state_path_of_150_bytes() -> TestResult {
    let world = World::new()?;
    let mut state = world.path("state");
    while state.as_os_str().len() < 150 {
        let left = 150 - state.as_os_str().len();
        state.push("x".repeat((left - 1).clamp(1, 40)));
    }
    for runtime in [world.path("run"), state.join("run")] {
        let command = |args: &[&str]| {
            let mut command = world.command(args);
            command.env("RIG_STATE_DIR", &state).env("RIG_RUNTIME_DIR", &runtime);
            command
        };
        let leads = started(command(&["events", "--follow"]))?;
        let body = || -> Option<serde_json::Value> {
            serde_json::from_slice(&fs::read(state.join("rig.lock")).ok()?).ok()
        };
        until("it leads", || body().is_some_and(|body| body["pid"] == leads.id()));
        let id = Said::from(command(&["project", "add"]).output()?).success()?;
        assert!(id.starts_with("prj_"), "{id}");
        let socket = body().and_then(|body| Some(body["socket"].as_str()?.to_owned()));
        let socket = socket.ok_or("it says no socket")?;
        assert!(socket.len() <= 100, "{socket}");
        drop(leads);
        Said::from(command(&["project", "list"]).output()?).success()?;
        assert!(!std::path::Path::new(&socket).exists(), "it is unlinked in the end");
    }
    Ok(())
}

fn is_refused(world: &World, why: &str) -> TestResult {
    let said = world.start(&["--json", "project", "add"])?.ends()?;
    assert_eq!(said.error()?, ("runtime_folder_unsafe".to_owned(), Some(4)), "{said:?}");
    assert!(said.stdout.contains(why), "{said:?}");
    assert!(!world.path("state/rig.redb").exists());
    Ok(())
}

#[test]
fn linked_runtime_folder() -> TestResult {
    let world = World::new()?;
    fs::create_dir(world.path("elsewhere"))?;
    fs::set_permissions(world.path("elsewhere"), Permissions::from_mode(0o700))?;
    std::os::unix::fs::symlink(world.path("elsewhere"), world.path("run"))?;
    is_refused(&world, "it is a link")?;
    assert_eq!(fs::read_dir(world.path("elsewhere"))?.count(), 0);
    Ok(())
}

#[test]
fn runtime_folder_that_others_may_use() -> TestResult {
    let world = World::new()?;
    for mode in [0o755, 0o770, 0o701] {
        let _ = fs::create_dir(world.path("run"));
        fs::set_permissions(world.path("run"), Permissions::from_mode(mode))?;
        is_refused(&world, "0700")?;
    }
    Ok(())
}

#[test]
fn a_file_in_the_place_of_the_runtime_folder() -> TestResult {
    let world = World::new()?;
    fs::write(world.path("run"), "mine")?;
    is_refused(&world, "it is no folder")?;
    assert_eq!(fs::read_to_string(world.path("run"))?, "mine");
    Ok(())
}

#[test]
fn another_users_folder_at_the_sockets_place() -> TestResult {
    if !rustix::process::getuid().is_root() {
        eprintln!("skipped: only root can make a folder of another user");
        return Ok(());
    }
    let world = World::new()?;
    let other = Some(65_534);
    fs::create_dir(world.path("run"))?;
    fs::set_permissions(world.path("run"), Permissions::from_mode(0o700))?;
    std::os::unix::fs::chown(world.path("run"), other, other)?;
    is_refused(&world, "another user")?;
    assert_eq!(fs::read_dir(world.path("run"))?.count(), 0);
    Ok(())
}

#[test]
fn a_folder_in_the_place_of_the_socket_is_told_and_kept() -> TestResult {
    let world = World::new()?;
    world.rig(&["project", "add"])?.success()?;
    let socket = world.socket()?;
    fs::create_dir(&socket)?;
    let said = world.start(&["--json", "project", "list"])?.ends()?;
    assert_eq!(said.error()?, ("store_failed".to_owned(), Some(1)), "{said:?}");
    assert!(said.stdout.contains(&socket.display().to_string()), "{said:?}");
    fs::remove_dir(&socket)?;
    world.rig(&["project", "list"])?.success()?;
    Ok(())
}

#[test]
fn stale_socket() -> TestResult {
    let world = World::new()?;
    let leads = world.start(&["events", "--follow"])?;
    until("it leads", || leader(&world) == Some(leads.id()));
    world.rig(&["project", "list"])?.success()?;
    let socket = world.socket()?;
    drop(leads);
    assert!(socket.exists(), "the dead one's");
    // Its process is another program's now.
    let lock = world.path("state/rig.lock");
    let body = fs::read_to_string(&lock)?;
    let body: serde_json::Value = serde_json::from_str(&body)?;
    let mut body = body.clone();
    body["pid"] = std::process::id().into();
    fs::write(&lock, body.to_string())?;
    let said = world.start(&["project", "add"])?.ends()?;
    assert_eq!(said.stderr, "");
    said.success()?;
    assert_ne!(leader(&world), Some(std::process::id()));
    Ok(())
}

#[test]
fn other_runtime_folder() -> TestResult {
    let world = World::new()?;
    let leads = world.start(&["events", "--follow"])?;
    until("it leads", || leader(&world) == Some(leads.id()));
    world.rig(&["project", "list"])?.success()?;
    let mut command = world.command(&["project", "add"]);
    command.env("RIG_RUNTIME_DIR", world.path("another"));
    started(command)?.ends()?.success()?;
    assert_eq!(leader(&world), Some(leads.id()));
    assert!(!leads.is_over());
    Ok(())
}

#[test]
fn nonsense_in_the_lock_file_is_ignored() -> TestResult {
    let world = World::new()?;
    world.rig(&["project", "add"])?.success()?;
    let long = "x".repeat(100_000);
    for nonsense in ["", "{", "{\"pid\": -1}", "\u{0}\u{0}", &long] {
        fs::write(world.path("state/rig.lock"), nonsense)?;
        world.start(&["project", "list"])?.ends()?.success()?;
        assert!(leader(&world).is_some(), "it is written anew");
    }
    Ok(())
}
