use rustix::process::Signal;

use crate::crowd::{Running, until};
use crate::resident::{Stopped, leading, run, started, status};
use crate::world::{TestResult, World};

/// A setup command that ends once it is told to go on.
const WAITS: &str = "while ! test -e $RIG_PROJECT_PATH/../go; do sleep 0.02; done";

fn create(world: &World, name: &str, mode: &str) -> std::process::Command {
    let mut command = world.command(&["workspace", "create", name, "--no-wait"]);
    command.env("RIG_DAEMON", mode);
    command
}

#[test]
fn auto_ends() -> TestResult {
    let world = World::new()?;
    world.configure(&format!("workspace.setup_commands = ['{WAITS}']\n"))?;
    world.commit("setup")?;
    let _stopped = Stopped(&world);
    let start = |number| started(create(&world, &format!("Task {number}"), "auto"));
    let children = (0..5).map(start).collect::<Result<Vec<_>, _>>()?;
    for said in children.into_iter().map(Running::ends).collect::<Result<Vec<_>, _>>()? {
        assert_eq!(said.stderr, "");
        said.success()?;
    }
    until("a daemon leads", || status(&world)["role"] == "daemon");
    let daemon = status(&world);
    assert_eq!(daemon["pending"]["workspace"], 5);
    assert_eq!(daemon["heir"], serde_json::Value::Null);
    std::fs::write(world.path("go"), "")?;
    until("all are made", || status(&world)["pending"] == serde_json::json!({}));
    assert_eq!(status(&world)["pid"], daemon["pid"]);
    // Asking who leads would be a connection.
    let lock = std::fs::File::open(world.path("state/rig.lock"))?;
    let idle = std::time::Instant::now();
    until("it has ended", || lock.try_lock().is_ok());
    assert!((9..20).contains(&idle.elapsed().as_secs()), "{:?}", idle.elapsed());
    drop(lock);
    for number in 0..5 {
        let shown = world.json(&["workspace", "show", &format!("task-{number}")])?;
        assert_eq!(shown["status"], "ready");
    }
    Ok(())
}

#[test]
fn never_leaves() -> TestResult {
    let world = World::new()?;
    let said = run(create(&world, "Later", "never"))?;
    assert!(said.stderr.contains("nothing is left running"), "{said:?}");
    said.success()?;
    assert_eq!(status(&world)["role"], serde_json::Value::Null);

    let _daemon = leading(&world, &["daemon", "run"])?;
    let said = run(create(&world, "Now", "never"))?;
    assert_eq!(said.stderr, "");
    said.success()?;
    until("both are made", || status(&world)["pending"] == serde_json::json!({}));
    Ok(())
}

#[test]
fn a_daemon_that_cannot_be_started_is_warned_of_and_no_failure() -> TestResult {
    let world = World::new()?;
    std::fs::create_dir_all(world.path("state/daemon.log"))?;
    let said = run(create(&world, "Later", "auto"))?;
    assert!(said.stderr.starts_with("warning: no daemon could be started"), "{said:?}");
    said.success()?;
    world.rig(&["workspace", "retry", "later"])?.success()?;
    Ok(())
}

#[test]
fn a_command_that_leaves_nothing_starts_nothing() -> TestResult {
    let world = World::new()?;
    for args in [&["workspace", "create", "Done"][..], &["workspace", "list"], &["wait", "0s"]] {
        let mut command = world.command(args);
        command.env("RIG_DAEMON", "auto");
        run(command)?.success()?;
        assert_eq!(status(&world)["role"], serde_json::Value::Null, "{args:?}");
    }
    assert!(!world.path("state/daemon.log").exists());
    Ok(())
}

#[test]
fn a_required_daemon_serves_and_without_it_nobody_leads() -> TestResult {
    let world = World::new()?;
    let list = || {
        let mut command = world.command(&["--json", "project", "list"]);
        command.env("RIG_DAEMON", "require");
        run(command)
    };
    let said = list()?;
    assert_eq!(said.error()?, ("no_leader".to_owned(), Some(5)));
    assert!(said.stdout.contains("rig daemon start"), "{said:?}");
    assert!(!world.path("state/rig.redb").exists());
    let _daemon = leading(&world, &["daemon", "run"])?;
    list()?.success()?;
    Ok(())
}

#[test]
fn a_command_behind_another_one_has_what_it_leaves_taken_care_of() -> TestResult {
    let world = World::new()?;
    let _stopped = Stopped(&world);
    let leads = leading(&world, &["events", "--follow"])?;
    run(create(&world, "Later", "auto"))?.success()?;
    assert!(status(&world)["heir"].is_u64());
    assert_eq!(leads.ended(Signal::TERM)?.status, Some(143));
    until("it is made", || {
        world.json(&["workspace", "show", "later"]).is_ok_and(|shown| shown["status"] == "ready")
    });
    assert_eq!(status(&world)["role"], "daemon");
    Ok(())
}
