use crate::world::{TestResult, World};

#[test]
fn dump_prints_every_row_as_a_line_of_json() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "One"])?.success()?;
    let dump = world.rig(&["store", "dump"])?.success()?;
    let rows: Vec<serde_json::Value> =
        dump.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let named = rows.iter().filter(|row| row["value"]["name"] == "One");
    assert_eq!(
        named.map(|row| row["table"].as_str()).collect::<Vec<_>>(),
        [Some("git/workspaces")]
    );
    Ok(())
}

#[test]
fn check_finds_nothing_in_a_good_store() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "One"])?.success()?;
    world.rig(&["workspace", "rename", "one", "Two"])?.success()?;
    world.rig(&["workspace", "archive", "two"])?.success()?;
    assert_eq!(world.json(&["store", "check"])?, serde_json::json!({ "findings": [] }));
    Ok(())
}

#[test]
fn a_file_that_is_no_store_is_told_and_left_alone() -> TestResult {
    let world = World::new()?;
    std::fs::create_dir(world.path("state"))?;
    std::fs::write(world.path("state/rig.redb"), "not a store")?;
    let said = world.rig(&["--json", "project", "list"])?;
    assert_eq!(said.error()?, ("store_corrupt".to_owned(), Some(1)));
    assert_eq!(std::fs::read(world.path("state/rig.redb"))?, b"not a store");
    Ok(())
}

#[test]
fn compact_tells_both_sizes() -> TestResult {
    let world = World::new()?;
    world.rig(&["project", "add"])?.success()?;
    let sizes = world.json(&["store", "compact"])?;
    assert!(sizes["before"].as_u64() >= sizes["after"].as_u64(), "{sizes}");
    world.rig(&["project", "list"])?.success()?;
    Ok(())
}

#[test]
fn the_state_folder_is_nobody_elses() -> TestResult {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new()?;
    world.rig(&["project", "add"])?.success()?;
    let mode = |path| {
        Ok::<_, std::io::Error>(std::fs::metadata(world.path(path))?.permissions().mode() & 0o777)
    };
    assert_eq!(mode("state")?, 0o700);
    assert_eq!(mode("state/rig.redb")?, 0o600);
    Ok(())
}
