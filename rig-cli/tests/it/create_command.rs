use crate::world::{TestResult, World};

#[test]
fn create_prints_the_path_of_a_ready_worktree_on_its_own_branch() -> TestResult {
    let world = World::new()?;
    let said = world.rig(&["workspace", "create", "Retry policy rewrite"])?;
    let path = world.workspace("retry-policy-rewrite");
    assert_eq!(said.stderr, "");
    assert_eq!(said.success()?, format!("{}\n", path.display()));
    assert_eq!(std::fs::read_to_string(path.join("README"))?, "hello\n");
    assert_eq!(
        world.git_in(&path, &["symbolic-ref", "HEAD"])?,
        "refs/heads/worktree/retry-policy-rewrite"
    );
    Ok(())
}

#[test]
fn create_without_a_name_gives_a_placeholder() -> TestResult {
    let world = World::new()?;
    assert_eq!(world.json(&["workspace", "create"])?["name"], "Workspace");
    assert_eq!(world.json(&["workspace", "create"])?["name"], "Workspace (2)");
    Ok(())
}

#[test]
fn create_with_no_wait_answers_at_once_and_retry_carries_it_on() -> TestResult {
    let world = World::new()?;
    world.configure("workspace.setup_commands = ['touch made']\n")?;
    world.commit("setup")?;
    let said = world.rig(&["workspace", "create", "Later", "--no-wait"])?;
    let path = world.workspace("later");
    assert!(said.stderr.contains("rig workspace retry ws_"), "{said:?}");
    assert_eq!(said.success()?, format!("{}\n", path.display()));
    assert!(!path.exists());
    let refused = world.rig(&["--json", "workspace", "path", "later"])?;
    assert_eq!(refused.error()?, ("workspace_not_ready".to_owned(), Some(5)));

    assert_eq!(
        world.rig(&["workspace", "retry", "later"])?.success()?.trim_end(),
        path.to_str().unwrap_or_default()
    );
    assert!(path.join("made").exists());
    Ok(())
}

#[test]
fn create_with_one_id_makes_one_workspace() -> TestResult {
    let world = World::new()?;
    let id = "ws_01m8nsvd62f67tndkxwnbwbx30";
    let first = world.json(&["workspace", "create", "Once", "--id", id])?;
    let second = world.json(&["workspace", "create", "Once", "--id", id])?;
    assert_eq!(first["path"], second["path"]);
    assert_eq!(world.json(&["workspace", "list"])?["workspaces"].as_array().map(Vec::len), Some(1));
    Ok(())
}

#[test]
fn create_from_a_base_starts_at_that_commit() -> TestResult {
    let world = World::new()?;
    let first = world.git(&["rev-parse", "HEAD"])?;
    world.commit("second")?;
    let created = world.json(&["workspace", "create", "Old", "--base", "HEAD~1"])?;
    assert_eq!(created["base"]["requested"], "HEAD~1");
    assert_eq!(created["base"]["commit"], first.as_str());
    Ok(())
}

#[test]
fn a_failed_workspace_tells_its_error_and_what_to_do() -> TestResult {
    let world = World::new()?;
    world.configure("workspace.setup_commands = ['true', 'echo no luck; exit 7']\n")?;
    world.commit("setup")?;
    let said = world.rig(&["workspace", "create", "Doomed"])?;
    assert_eq!((said.status, said.stdout.as_str()), (Some(1), ""));
    let path = world.workspace("doomed").display().to_string();
    for part in
        ["error: ", "no luck", "  workspace: ws_", &path, "  log: ", "rig workspace retry ws_"]
    {
        assert!(said.stderr.contains(part), "{part:?} is missing in {}", said.stderr);
    }

    let said = world.rig(&["--json", "workspace", "retry", "doomed"])?;
    assert_eq!(said.error()?, ("setup_failed".to_owned(), Some(1)));
    let told: serde_json::Value = serde_json::from_str(&said.stdout)?;
    assert_eq!(told["error"]["detail"]["status"], "failed");

    std::fs::write(world.workspace("doomed").join("rig.toml"), "")?;
    assert_eq!(world.rig(&["workspace", "retry", "doomed"])?.success()?, format!("{path}\n"));
    Ok(())
}

#[test]
fn paths_that_are_no_utf_8_are_printed_byte_for_byte() -> TestResult {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    if cfg!(target_os = "macos") {
        return Ok(()); // Its file system refuses such names.
    }
    let world = World::new()?;
    let root = world.path(OsStr::from_bytes(b"r\xffot"));
    let mut command = world.command(&["workspace", "create", "Bytes"]);
    let output = command.env("RIG_WORKSPACES_DIRECTORY", &root).output()?;
    let mut wanted = root.join("retries/bytes").as_os_str().as_bytes().to_vec();
    wanted.push(b'\n');
    assert_eq!(output.stdout, wanted);
    let shown = world.json(&["workspace", "show", "bytes"])?;
    assert!(shown["pathBytes"].is_string(), "{shown}");
    Ok(())
}
