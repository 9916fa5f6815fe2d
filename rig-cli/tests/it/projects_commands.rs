use crate::world::{TestResult, World};

#[test]
fn add_prints_the_id_and_adding_again_the_same() -> TestResult {
    let world = World::new()?;
    let first = world.rig(&["project", "add"])?.success()?;
    assert!(first.starts_with("prj_"), "{first}");
    let path = world.repository.display().to_string();
    assert_eq!(world.rig_in(&world.path("home"), &["project", "add", &path])?.success()?, first);
    Ok(())
}

#[test]
fn adding_with_another_id_says_which_ones() -> TestResult {
    let world = World::new()?;
    let id = world.rig(&["project", "add"])?.success()?;
    let other = "prj_01m8nsvd62f67tndkxwnbwbx30";
    let said = world.rig(&["project", "add", "--id", other])?;
    assert_eq!(said.status, Some(5));
    assert!(said.stderr.contains(id.trim()) && said.stderr.contains(other), "{said:?}");
    Ok(())
}

#[test]
fn list_marks_the_project_around_the_working_folder() -> TestResult {
    let world = World::new()?;
    let notes = world.path("notes");
    std::fs::create_dir(&notes)?;
    world.rig(&["project", "add"])?.success()?;
    world.rig_in(&notes, &["project", "add"])?.success()?;
    let listed = world.json(&["project", "list"])?;
    let rows = listed["projects"].as_array().cloned().unwrap_or_default();
    let marked: Vec<_> = rows.iter().map(|row| (&row["name"], &row["current"])).collect();
    assert_eq!(
        format!("{marked:?}"),
        r#"[(String("notes"), Bool(false)), (String("retries"), Bool(true))]"#
    );
    assert_eq!(rows[0]["worktreeSupport"], "unsupported");
    assert_eq!(rows[1]["worktreeSupport"], "supported");
    Ok(())
}

#[test]
fn rename_move_and_archive_change_what_list_shows() -> TestResult {
    let world = World::new()?;
    let notes = world.path("notes");
    std::fs::create_dir(&notes)?;
    world.rig(&["project", "add"])?.success()?;
    world.rig_in(&notes, &["project", "add"])?.success()?;
    assert_eq!(world.rig(&["project", "rename", ".", "Backend"])?.success()?, "");
    assert_eq!(world.rig(&["project", "move", "backend", "--first"])?.success()?, "");
    let names = |listed: &serde_json::Value| {
        let rows = listed["projects"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| row["name"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&world.json(&["project", "list"])?), ["Backend", "notes"]);
    world.rig(&["project", "move", "Backend", "--after", "notes"])?.success()?;
    assert_eq!(names(&world.json(&["project", "list"])?), ["notes", "Backend"]);
    world.rig(&["project", "archive", "notes"])?.success()?;
    assert_eq!(names(&world.json(&["project", "list"])?), ["Backend"]);
    assert_eq!(names(&world.json(&["project", "list", "--all"])?).len(), 2);
    world.rig_in(&notes, &["project", "add"])?.success()?;
    assert_eq!(names(&world.json(&["project", "list"])?).len(), 2);
    Ok(())
}

#[test]
fn show_knows_a_project_by_id_name_key_and_folder() -> TestResult {
    let world = World::new()?;
    let id = world.rig(&["project", "add"])?.success()?;
    let home = world.path("home");
    let path = world.repository.display().to_string();
    for asked in [id.trim_end(), "retries", "Retries", &path, "../retries"] {
        let shown = world.rig_in(&home, &["--json", "project", "show", asked])?.success()?;
        assert!(shown.contains(id.trim_end()), "{asked}: {shown}");
    }
    let said = world.rig_in(&home, &["--json", "project", "show"])?;
    assert_eq!(said.error()?, ("project_not_found".to_owned(), Some(3)));
    Ok(())
}

#[test]
fn add_refuses_what_is_no_folder() -> TestResult {
    let world = World::new()?;
    let said = world.rig(&["--json", "project", "add", "nowhere"])?;
    assert_eq!(said.error()?, ("path_missing".to_owned(), Some(3)));
    let said = world.rig(&["--json", "project", "add", "README"])?;
    assert_eq!(said.error()?, ("not_a_directory".to_owned(), Some(2)));
    Ok(())
}
