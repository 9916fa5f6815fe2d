use rustix::process::Signal;

use crate::crowd::until;
use crate::resident::{leading, status};
use crate::world::{TestResult, World};

#[test]
fn leader_leaves() -> TestResult {
    let world = World::new()?;
    let setup = "while ! test -e $RIG_PROJECT_PATH/../go; do sleep 0.02; done";
    world.configure(&format!("workspace.setup_commands = ['{setup}']\n"))?;
    world.commit("setup")?;
    let first = leading(&world, &["workspace", "create", "Slow"])?;
    let second = world.start(&["events", "--follow"])?;
    until("the second follows", || status(&world)["connections"] == 2);
    std::fs::write(world.path("go"), "")?;
    first.ends()?.success()?;
    until("the second leads", || status(&world)["pid"] == second.id());
    world.rig(&["project", "rename", "retries", "Other"])?.success()?;
    let said = second.ended(Signal::INT)?;
    assert_eq!(said.status, Some(130));
    assert_eq!(said.stdout.matches("project.changed").count(), 1, "{said:?}");
    assert_eq!(said.stdout.matches("workspace.ready").count(), 1, "{said:?}");
    Ok(())
}

#[test]
fn signal_leader() -> TestResult {
    let world = World::new()?;
    let first = leading(&world, &["wait", "1h"])?;
    let follow = |key| world.start(&["wait", "1h", "--key", key]);
    let others = [follow("a")?, follow("b")?];
    until("both wait", || status(&world)["pending"]["wait"] == 3);
    assert_eq!(first.ended(Signal::TERM)?.status, Some(143));
    until("another one leads", || {
        let leader = status(&world)["pid"].clone();
        others.iter().any(|other| leader == other.id())
    });
    until("both wait on", || status(&world)["connections"] == 2);
    assert_eq!(status(&world)["pending"]["wait"], 2);
    for other in others {
        assert_eq!(other.ended(Signal::TERM)?.status, Some(143));
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
    let daemon = leading(&world, &["daemon", "run"])?;
    let ended = std::time::Instant::now();
    daemon.signal(Signal::TERM)?;
    let said = daemon.ended(Signal::TERM)?;
    assert_eq!(said.status, Some(143));
    assert!(ended.elapsed().as_secs() < 10, "{said:?}");
    Ok(())
}
