use crate::world::{TestResult, World};

#[test]
fn rename_takes_the_branch_along_and_leaves_the_folder() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "Old"])?.success()?;
    let said = world.rig(&["workspace", "rename", "old", "New name"])?;
    assert_eq!((said.stderr.as_str(), said.stdout.as_str(), said.status), ("", "", Some(0)));
    assert_eq!(world.branches()?, ["main", "worktree/new-name"]);
    let path = world.rig(&["workspace", "path", "New name"])?.success()?;
    assert_eq!(path.trim_end(), world.workspace("old").display().to_string());
    Ok(())
}

#[test]
fn other_branch() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "Old"])?.success()?;
    world.git_in(&world.workspace("old"), &["switch", "-q", "-c", "feature"])?;
    let said = world.rig(&["workspace", "rename", "old", "New"])?;
    assert!(said.stderr.contains("warning: the branch stays \"worktree/old\""), "{said:?}");
    assert_eq!(said.status, Some(0));
    assert_eq!(world.branches()?, ["feature", "main", "worktree/old"]);
    assert_eq!(world.json(&["workspace", "show", "new"])?["branch"], "worktree/old");
    Ok(())
}
