use crate::world::{TestResult, World};

#[test]
fn names_that_look_like_options_are_names() -> TestResult {
    let world = World::new()?;
    for (name, key) in
        [("--force", "force"), ("-x", "x"), ("--", "workspace"), ("$(reboot)", "reboot")]
    {
        let said = world.rig(&["workspace", "create", "--", name])?.success()?;
        assert_eq!(said, format!("{}\n", world.workspace(key).display()), "{name}");
        let shown = world.json(&["workspace", "show", "--", name])?;
        assert_eq!(shown["name"], name);
        assert_eq!(shown["branch"], format!("worktree/{key}"));
    }
    Ok(())
}

#[test]
fn a_name_of_one_dot_does_not_hide_the_workspace_around() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "."])?.success()?;
    world.rig(&["workspace", "create", "Here"])?.success()?;
    let here = world.workspace("here");
    let said = world.rig_in(&here, &["workspace", "path", "."])?.success()?;
    assert_eq!(said, format!("{}\n", here.display()));
    let said = world.rig(&["--json", "workspace", "path", "."])?;
    assert_eq!(said.error()?, ("workspace_not_found".to_owned(), Some(3)));
    Ok(())
}

#[test]
fn names_that_differ_in_case_only_get_a_number() -> TestResult {
    let world = World::new()?;
    let first = world.json(&["workspace", "create", "Foo"])?;
    let second = world.json(&["workspace", "create", "foo"])?;
    assert_eq!(
        (first["name"].as_str(), first["branch"].as_str()),
        (Some("Foo"), Some("worktree/foo"))
    );
    assert_eq!(
        (second["name"].as_str(), second["branch"].as_str(), second["storageKey"].as_str()),
        (Some("foo (2)"), Some("worktree/foo-2"), Some("foo-2"))
    );
    Ok(())
}

#[test]
fn names_with_slashes_give_flat_keys_and_branches() -> TestResult {
    let world = World::new()?;
    let first = world.json(&["workspace", "create", "feat/a-b"])?;
    let second = world.json(&["workspace", "create", "feat-a/b"])?;
    assert_eq!(first["storageKey"], "feat-a-b");
    assert_eq!(first["branch"], "worktree/feat-a-b");
    assert_eq!(second["storageKey"], "feat-a-b-2");
    assert_eq!(world.json(&["workspace", "show", "feat/a-b"])?["id"], first["id"]);
    assert_eq!(world.json(&["workspace", "show", "feat-a/b"])?["id"], second["id"]);
    Ok(())
}

#[test]
fn a_branch_called_worktree_rules_out_all_others() -> TestResult {
    let world = World::new()?;
    world.git(&["branch", "worktree"])?;
    let said = world.rig(&["--json", "workspace", "create", "x"])?;
    assert_eq!(said.error()?, ("branch_conflict".to_owned(), Some(5)));
    assert_eq!(world.json(&["workspace", "list"])?["workspaces"], serde_json::json!([]));
    Ok(())
}
