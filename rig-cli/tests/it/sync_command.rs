use crate::world::{TestResult, World};

#[test]
fn sync_copies_what_changed_and_tells_it() -> TestResult {
    let world = World::new()?;
    world.configure("workspace.sync = ['.env', 'missing']\n")?;
    std::fs::write(world.repository.join(".gitignore"), ".env\n")?;
    world.commit("ignore")?;
    std::fs::write(world.repository.join(".env"), "one\n")?;
    world.rig(&["workspace", "create", "One"])?.success()?;
    let copy = world.workspace("one").join(".env");
    assert_eq!(std::fs::read_to_string(&copy)?, "one\n");

    std::fs::write(world.repository.join(".env"), "two, longer\n")?;
    let dry_run = world.json(&["workspace", "sync", "one", "--dry-run"])?;
    assert_eq!(dry_run["paths"][0]["path"], ".env");
    assert_eq!(dry_run["paths"][0]["outcome"], "copied");
    assert_eq!(std::fs::read_to_string(&copy)?, "one\n");
    let table = world.rig(&["workspace", "sync"])?.success()?;
    assert!(table.contains(".env"), "{table}");
    assert_eq!(std::fs::read_to_string(&copy)?, "two, longer\n");
    let again =
        world.rig_in(&world.workspace("one"), &["--json", "workspace", "sync"])?.success()?;
    assert!(again.contains("\"outcome\":\"unchanged\""), "{again}");
    Ok(())
}
