use crate::world::{TestResult, World};

#[test]
fn work_not_committed() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "Work"])?.success()?;
    let path = world.workspace("work");
    std::fs::write(path.join("README"), "changed\n")?;
    std::fs::write(path.join("new"), "new\n")?;

    let dry_run = world.rig(&["workspace", "archive", "work", "--dry-run"])?.success()?;
    assert_eq!(dry_run, "2 files uncommitted\n  README\n  new\n");
    assert!(path.exists());

    let was = world.json(&["workspace", "archive", "work"])?;
    assert_eq!(was["workspace"]["status"], "archived");
    assert_eq!(was["lost"]["dirty"]["count"], 2);
    assert!(!path.exists());

    let restored =
        world.rig(&["workspace", "restore-work", "work", "--name", "Again"])?.success()?;
    let path = world.workspace("again");
    assert_eq!(restored, format!("{}\n", path.display()));
    assert_eq!(std::fs::read_to_string(path.join("README"))?, "changed\n");
    assert_eq!(world.git_in(&path, &["status", "--short"])?, " M README\n?? new");
    Ok(())
}

#[test]
fn archive_again_changes_nothing() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "Gone"])?.success()?;
    assert_eq!(world.rig(&["workspace", "archive", "gone"])?.success()?, "");
    let again = world.json(&["workspace", "archive", "gone"])?;
    assert_eq!(again["workspace"]["status"], "archived");
    let said = world.rig(&["--json", "workspace", "restore-work", "gone"])?;
    assert_eq!(said.error()?, ("nothing_saved".to_owned(), Some(3)));
    Ok(())
}

#[test]
fn the_branch_stays_unless_asked_otherwise() -> TestResult {
    let world = World::new()?;
    for name in ["Kept", "Empty"] {
        world.rig(&["workspace", "create", name])?.success()?;
    }
    world.rig(&["workspace", "archive", "kept"])?.success()?;
    world.rig(&["workspace", "archive", "empty", "--delete-branch", "empty"])?.success()?;
    assert_eq!(world.branches()?, ["main", "worktree/kept"]);
    Ok(())
}

#[test]
fn a_branch_with_commits_is_no_empty_one_and_the_reason_is_told() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "Full"])?.success()?;
    world.git_in(&world.workspace("full"), &["commit", "-q", "--allow-empty", "-m", "mine"])?;
    let said = world.rig(&["workspace", "archive", "full", "--delete-branch", "empty"])?;
    assert!(said.stderr.contains("warning: the branch \"worktree/full\" is kept: "), "{said:?}");
    assert_eq!(said.success()?, "1 commit in no remote\n");
    assert_eq!(world.branches()?, ["main", "worktree/full"]);
    Ok(())
}

#[test]
fn project_archive_cleans_up_all_its_workspaces() -> TestResult {
    let world = World::new()?;
    for name in ["One", "Two"] {
        world.rig(&["workspace", "create", name])?.success()?;
    }
    let archived = world.json(&["project", "archive", "."])?;
    assert_eq!(archived["project"]["archived"], true);
    let rows = archived["workspaces"].as_array().cloned().unwrap_or_default();
    assert_eq!(rows.iter().filter(|row| row["status"] == "archived").count(), 2);
    assert!(!world.workspace("one").exists() && !world.workspace("two").exists());
    assert!(world.repository.join("README").exists());
    Ok(())
}
