use super::victim::{add, added, killed, there_are};
use crate::crowd::{Crowd, leader};
use crate::world::{TestResult, World};

fn socket_is_there(world: &World) -> Result<bool, Box<dyn std::error::Error>> {
    Ok(std::fs::read_dir(world.path("run"))?.count() > 0)
}

/// One dies at this point while it begins to lead, and then others come, many at once.
fn dies_before_it_leads(world: &World, point: &str) -> TestResult {
    let add = add(world, 1)?;
    let add: Vec<_> = add.iter().map(String::as_str).collect();
    let said = killed(world, point, &add)?;
    assert_eq!(said.stdout, "", "nothing was acknowledged");
    Ok(())
}

fn the_next_lead(world: &World) -> TestResult {
    let commands = (0..8).map(|number| {
        let mut command = world.command(&[]);
        // Two of them repeat what the dead one was to do.
        command.args(add(world, number / 2)?);
        Ok(command)
    });
    let commands = commands.collect::<Result<Vec<_>, Box<dyn std::error::Error>>>()?;
    for ended in Crowd::gather(world, commands)?.go(|_| {})? {
        ended.said.success()?;
    }
    there_are(world, &[0, 1, 2, 3])
}

#[test]
fn node_locked() -> TestResult {
    let world = World::new()?;
    dies_before_it_leads(&world, "node.locked")?;
    assert!(!socket_is_there(&world)?);
    assert!(!world.path("state/rig.redb").exists());
    the_next_lead(&world)
}

#[test]
fn node_bound() -> TestResult {
    let world = World::new()?;
    dies_before_it_leads(&world, "node.bound")?;
    assert!(socket_is_there(&world)?, "the dead one's socket");
    assert!(!world.path("state/rig.redb").exists());
    the_next_lead(&world)
}

#[test]
fn node_bound_over_the_socket_of_a_dead_one() -> TestResult {
    let world = World::new()?;
    for point in ["node.bound", "node.locked", "node.bound"] {
        dies_before_it_leads(&world, point)?;
        assert!(socket_is_there(&world)?);
    }
    the_next_lead(&world)
}

#[test]
fn store_opening() -> TestResult {
    let world = World::new()?;
    dies_before_it_leads(&world, "store.opening")?;
    added(&world, 0)?;
    let before = std::fs::read(world.path("state/rig.redb"))?;
    dies_before_it_leads(&world, "store.opening")?;
    assert_eq!(std::fs::read(world.path("state/rig.redb"))?, before);
    the_next_lead(&world)
}

#[test]
fn store_repairing() -> TestResult {
    let world = World::new()?;
    added(&world, 0)?;
    // Whoever dies with the store open leaves it to be repaired.
    dies_before_it_leads(&world, "batch.after_commit")?;
    for pass in [1, 1, 2] {
        dies_before_it_leads(&world, &format!("store.repairing:{pass}"))?;
    }
    the_next_lead(&world)
}

#[test]
fn boot_anchoring() -> TestResult {
    let world = World::new()?;
    dies_before_it_leads(&world, "boot.anchoring")?;
    let dead = leader(&world);
    added(&world, 0)?;
    assert_ne!(leader(&world), dead);
    dies_before_it_leads(&world, "boot.anchoring")?;
    the_next_lead(&world)
}
