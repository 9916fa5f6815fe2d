use crate::world::{TestResult, World};

fn names(world: &World, args: &[&str]) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let args: Vec<_> = ["workspace", "list"].iter().chain(args).copied().collect();
    let listed = world.json(&args)?;
    let rows = listed["workspaces"].as_array().cloned().unwrap_or_default();
    Ok(rows.iter().map(|row| row["name"].as_str().unwrap_or_default().to_owned()).collect())
}

#[test]
fn list_shows_a_table_of_the_active_workspaces() -> TestResult {
    let world = World::new()?;
    assert_eq!(world.rig(&["workspace", "list"])?.success()?, "");
    world.rig(&["workspace", "create", "One"])?.success()?;
    let table = world.rig(&["workspace", "list"])?.success()?;
    let lines: Vec<_> = table.lines().collect();
    assert!(lines[0].starts_with("NAME  STATUS  BRANCH"), "{table}");
    assert!(lines[1].starts_with("One   ready   worktree/one"), "{table}");
    assert!(lines[1].ends_with(&world.workspace("one").display().to_string()), "{table}");
    Ok(())
}

#[test]
fn archived_hidden() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "Gone"])?.success()?;
    world.rig(&["workspace", "archive", "gone"])?.success()?;
    assert_eq!(names(&world, &[])?, Vec::<String>::new());
    let listed = world.json(&["workspace", "list", "--all"])?;
    assert_eq!(listed["workspaces"][0]["name"], "Gone");
    assert_eq!(listed["workspaces"][0]["archived"], true);
    Ok(())
}

#[test]
fn move_puts_a_workspace_first_or_behind_another() -> TestResult {
    let world = World::new()?;
    for name in ["first", "second", "third"] {
        world.rig(&["workspace", "create", name])?.success()?;
    }
    assert_eq!(names(&world, &[])?, ["third", "second", "first"]);
    assert_eq!(world.rig(&["workspace", "move", "first", "--first"])?.success()?, "");
    assert_eq!(names(&world, &[])?, ["first", "third", "second"]);
    world.rig(&["workspace", "move", "first", "--after", "third"])?.success()?;
    assert_eq!(names(&world, &[])?, ["third", "first", "second"]);
    assert_eq!(world.rig(&["workspace", "move", "first"])?.status, Some(2));
    Ok(())
}

#[test]
fn list_shows_the_branch_that_is_checked_out() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "One"])?.success()?;
    world.git_in(&world.workspace("one"), &["switch", "-q", "-c", "feature"])?;
    let table = world.rig(&["workspace", "list"])?.success()?;
    assert!(table.contains("  feature  "), "{table}");
    let shown = world.rig(&["workspace", "show", "one"])?.success()?;
    assert!(shown.contains("worktree/one (checked out: feature)"), "{shown}");
    Ok(())
}
