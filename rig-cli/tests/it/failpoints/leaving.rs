use super::victim::{added, armed, killed, there_are};
use crate::crowd::{Running, leader, until};
use crate::world::{TestResult, World};

/// A leader dies at this point after its answer was printed, while somebody else follows events, who
/// then leads.
fn dies_while_it_leaves(point: &str, unlinked: bool) -> TestResult {
    let world = World::new()?;
    let add = super::victim::add(&world, 0)?;
    let add: Vec<_> = add.iter().map(String::as_str).collect();
    let said = killed(&world, point, &add)?;
    assert_eq!(said.stdout.trim_end(), super::victim::project(0), "it was acknowledged");
    assert_eq!(std::fs::read_dir(world.path("run"))?.count(), usize::from(!unlinked));
    there_are(&world, &[0])?;

    let world = World::new()?;
    let (leaves, go) = leads_until_told(&world, point)?;
    let follows = world.start(&["events", "--follow"])?;
    let told = added(&world, 1);
    std::fs::write(go, "")?;
    told?;
    let said = leaves.ends()?;
    assert_eq!(said.status, None, "{said:?}");
    let created = world.workspace("slow");
    assert_eq!(said.stdout, format!("{}\n", created.display()), "it was acknowledged");
    until("the follower leads", || leader(&world) == Some(follows.id()));
    added(&world, 2)?;
    assert_eq!(leader(&world), Some(follows.id()));
    drop(follows);
    let shown = world.json(&["workspace", "show", "slow"])?;
    assert_eq!(shown["status"], "ready");
    assert_eq!(world.json(&["store", "check"])?["findings"], serde_json::json!([]));
    Ok(())
}

/// A leader that leaves as soon as a file is there.
fn leads_until_told(
    world: &World,
    point: &str,
) -> Result<(Running, std::path::PathBuf), Box<dyn std::error::Error>> {
    let waits = "touch $RIG_PROJECT_PATH/../running; while ! test -e $RIG_PROJECT_PATH/../go; do sleep 0.02; done";
    world.configure(&format!("workspace.setup_commands = ['{waits}']\n"))?;
    world.commit("setup")?;
    let child = Running::start(&mut armed(world, point, &["workspace", "create", "Slow"]))?;
    until("it runs", || world.path("running").exists());
    Ok((child, world.path("go")))
}

#[test]
fn leave_begin() -> TestResult {
    dies_while_it_leaves("leave.begin", false)
}

#[test]
fn leave_handed_over() -> TestResult {
    dies_while_it_leaves("leave.handed_over", false)
}

#[test]
fn leave_closed() -> TestResult {
    dies_while_it_leaves("leave.closed", false)
}

#[test]
fn leave_unlinked() -> TestResult {
    dies_while_it_leaves("leave.unlinked", true)
}
