use std::os::unix::fs::symlink;

use crate::world::{TestResult, World};

#[test]
fn every_command_answers_alike_from_wherever_it_is_called() -> TestResult {
    let world = World::new()?;
    let below = world.repository.join("below");
    std::fs::create_dir(&below)?;
    let link = world.path("link");
    symlink(&world.repository, &link)?;
    world.rig(&["workspace", "create", "One"])?.success()?;
    let inside = world.workspace("one");

    let places = [&world.repository, &below, &link, &link.join("below"), &inside];
    let commands: [&[&str]; 6] = [
        &["--json", "project", "show"],
        &["--json", "workspace", "list"],
        &["--json", "workspace", "show", "one"],
        &["workspace", "path", "One"],
        &["--json", "config", "show"],
        &["--json", "workspace", "archive", "one", "--dry-run"],
    ];
    for args in commands {
        let expected = world.rig(args)?.success()?;
        for place in places {
            let said = world.rig_in(place, args)?.success()?;
            assert_eq!(said, expected, "{args:?} in {}", place.display());
        }
    }
    let here = world.rig_in(&inside, &["workspace", "path", "."])?.success()?;
    assert_eq!(here.trim_end(), inside.display().to_string());
    let by_path = world.rig_in(&world.path("home"), &["workspace", "path", here.trim_end()])?;
    assert_eq!(by_path.success()?, here);
    Ok(())
}

#[test]
fn a_worktree_that_git_made_is_a_project_of_its_own() -> TestResult {
    let world = World::new()?;
    let side = world.path("side");
    world.git(&["worktree", "add", "-q", &side.display().to_string()])?;
    world.rig_in(&side, &["workspace", "create", "One"])?.success()?;
    assert!(world.path("workspaces/side/one").exists());
    let listed = world.rig_in(&side, &["--json", "project", "show"])?.success()?;
    assert!(listed.contains("\"name\":\"side\""), "{listed}");
    Ok(())
}

#[test]
fn a_workspace_made_inside_a_workspace_belongs_to_the_same_project() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "One"])?.success()?;
    world.rig_in(&world.workspace("one"), &["workspace", "create", "Two"])?.success()?;
    assert!(world.workspace("two").exists());
    Ok(())
}

#[test]
fn project_names_another_project() -> TestResult {
    let world = World::new()?;
    let id = world.rig(&["project", "add"])?.success()?;
    let home = world.path("home");
    let path = world.repository.display().to_string();
    for project in [id.trim_end(), &path, "../retries", "Retries"] {
        world.rig_in(&home, &["--project", project, "workspace", "create", "One"])?.success()?;
    }
    assert!(world.workspace("one-4").exists());
    Ok(())
}
