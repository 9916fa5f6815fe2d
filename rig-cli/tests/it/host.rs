use rig_cli::Node;
use rig_cli::operations::{AddProject, ListProjects};
use rustix::process::Signal;

use crate::crowd::until;
use crate::resident::{leading, status};
use crate::world::{TestResult, World};

#[test]
fn a_host_leads_as_soon_as_nobody_else_does_and_until_it_is_closed() -> TestResult {
    let world = World::new()?;
    let command = leading(&world, &["events", "--follow"])?;
    let host = Node::open(world.environment())?;
    host.call(AddProject { path: world.repository.clone().into(), id: None })?;
    assert_eq!(status(&world)["pid"], command.id());

    assert_eq!(command.ended(Signal::TERM)?.status, Some(143));
    until("the host leads", || status(&world)["role"] == "host");
    assert_eq!(status(&world)["pid"], std::process::id());
    assert_eq!(world.json(&["project", "list"])?["projects"].as_array().map(Vec::len), Some(1));
    assert_eq!(host.call(ListProjects::default())?.projects.len(), 1);

    // A daemon stands in line behind it, and leads when it is closed.
    let daemon = world.start(&["daemon", "run"])?;
    until("the daemon stands in line", || status(&world)["heir"] == daemon.id());
    host.close()?;
    until("the daemon leads", || status(&world)["pid"] == daemon.id());
    Ok(())
}

#[test]
fn a_host_that_only_follows_is_closed_at_once() -> TestResult {
    let world = World::new()?;
    let daemon = leading(&world, &["daemon", "run"])?;
    let host = Node::open(world.environment())?;
    until("it is connected", || status(&world)["connections"] == 2);
    host.close()?;
    until("it has gone", || status(&world)["connections"] == 1);
    assert_eq!(status(&world)["pid"], daemon.id());
    Ok(())
}

#[test]
fn a_host_that_cannot_open_the_store_is_told_why() -> TestResult {
    let world = World::new()?;
    std::fs::create_dir(world.path("state"))?;
    std::fs::write(world.path("state/rig.redb"), "no store".repeat(1000))?;
    let failure = Node::open(world.environment()).err().ok_or("it opened")?;
    assert_eq!(failure.code, "store_corrupt");
    Ok(())
}
