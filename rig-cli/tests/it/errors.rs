use crate::world::{TestResult, World};

#[test]
fn errors_end_with_the_status_of_their_class() -> TestResult {
    let world = World::new()?;
    let notes = world.path("notes");
    std::fs::create_dir(&notes)?;
    let notes = notes.display().to_string();
    world.rig(&["workspace", "create", "Twin"])?.success()?;
    let cases: [(&[&str], &str, i32); 15] = [
        (&["workspace", "create", "x", "--base", "nope"], "base_not_found", 3),
        (&["workspace", "create", "x", "--base", "-x"], "base_ref_invalid", 2),
        (&["workspace", "create", "x", "--base", "HEAD:README"], "base_ref_invalid", 2),
        (&["workspace", "create", " \u{1} "], "bad_name", 2),
        (&["workspace", "create", "x", "--id", "ws_x"], "bad_id", 2),
        (&["--project", &notes, "workspace", "create", "x"], "not_a_git_project", 5),
        (&["--project", "nowhere", "workspace", "list"], "path_missing", 3),
        (&["workspace", "path", "nope"], "workspace_not_found", 3),
        (&["workspace", "show", "ws_01m8nsvd62f67tndkxwnbwbx30"], "workspace_not_found", 3),
        (&["workspace", "rename", "twin", ""], "bad_name", 2),
        (&["workspace", "nope"], "bad_request", 2),
        (&["workspace", "create", "x", "--nope"], "bad_request", 2),
        (&["workspace"], "bad_request", 2),
        (&["workspace", "create", "--force"], "bad_request", 2),
        (&["project", "add", "--id", "ws_01m8nsvd62f67tndkxwnbwbx30"], "bad_id", 2),
    ];
    for (args, code, status) in cases {
        let mut command = world.command(args);
        let said = crate::world::Said::from(command.arg("--json").output()?);
        let told = said.error().map_err(|error| format!("{args:?}: {error}: {said:?}"))?;
        assert_eq!(told, (code.to_owned(), Some(status)), "{args:?}: {said:?}");
        assert_eq!(said.stderr, "", "{args:?}");
    }
    Ok(())
}

#[test]
fn a_repository_that_is_bare_by_accident_is_told_how_to_mend_it() -> TestResult {
    let world = World::new()?;
    world.git(&["config", "core.bare", "true"])?;
    let said = world.rig(&["workspace", "create", "x"])?;
    assert_eq!((said.status, said.stdout.as_str()), (Some(5), ""));
    assert!(said.stderr.contains("require a Git repository project.\n"), "{said:?}");
    assert!(said.stderr.contains("`git config core.bare false`"), "{said:?}");
    Ok(())
}

#[test]
fn an_error_for_people_has_a_hint_and_leaves_stdout_alone() -> TestResult {
    let world = World::new()?;
    let said = world.rig(&["workspace", "path", "nope"])?;
    assert_eq!(said.stdout, "");
    assert_eq!(
        said.stderr,
        "error: there is no workspace \"nope\"\nhint: `rig workspace list --all` shows the \
         workspaces of this project; `--project` names another\n"
    );
    Ok(())
}

#[test]
fn a_folder_without_a_repository_gets_the_one_message() -> TestResult {
    let world = World::new()?;
    let notes = world.path("notes");
    std::fs::create_dir(&notes)?;
    world.rig_in(&notes, &["project", "add"])?.success()?;
    let said = world.rig_in(&notes, &["workspace", "create", "x"])?;
    let first = said.stderr.lines().next().unwrap_or_default();
    assert_eq!(first, "error: Managed workspaces require a Git repository project.");
    assert_eq!(said.status, Some(5));
    Ok(())
}

#[test]
fn a_repository_without_a_commit_says_so() -> TestResult {
    let world = World::new()?;
    let empty = world.path("empty");
    world.git(&["init", "-q", &empty.display().to_string()])?;
    let said = world.rig_in(&empty, &["--json", "workspace", "create", "x"])?;
    assert_eq!(said.error()?, ("no_commits".to_owned(), Some(5)));
    Ok(())
}

#[test]
fn a_workspace_whose_folder_is_gone_has_no_path() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "Gone"])?.success()?;
    std::fs::remove_dir_all(world.workspace("gone"))?;
    let said = world.rig(&["--json", "workspace", "path", "gone"])?;
    assert_eq!(said.error()?, ("workspace_folder_missing".to_owned(), Some(5)));
    assert_eq!(world.json(&["workspace", "show", "gone"])?["folderState"], "missing");
    Ok(())
}
