use crate::world::{TestResult, World};

#[test]
fn show_says_where_each_value_comes_from() -> TestResult {
    let world = World::new()?;
    let user = world.path("home/.config/rig/rig.toml");
    std::fs::create_dir_all(user.parent().ok_or("no parent")?)?;
    std::fs::write(&user, "[workspace]\nsetup_timeout = '5m'\nfetch_timeout = '9s'\n")?;
    world.configure("[workspace]\nsync = ['.env']\nfetch_timeout = '3s'\n")?;
    let values = world.json(&["config", "show"])?["values"].clone();
    assert_eq!(values["workspace.setup_timeout"]["value"], "5m");
    assert_eq!(values["workspace.setup_timeout"]["from"], format!("{}:2", user.display()));
    assert_eq!(values["workspace.fetch_timeout"]["value"], "3s");
    assert_eq!(
        values["workspace.sync"]["from"],
        format!("{}:2", world.repository.join("rig.toml").display())
    );
    assert_eq!(values["features.workspaces"]["from"], "default");
    assert_eq!(values["daemon.mode"]["from"], "RIG_DAEMON");
    let table = world.rig(&["config", "show"])?.success()?;
    assert!(table.starts_with("KEY "), "{table}");
    Ok(())
}

#[test]
fn check_lists_all_that_is_wrong() -> TestResult {
    let world = World::new()?;
    assert_eq!(world.rig(&["config", "check"])?.success()?, "");
    world.configure("[workspace]\nsycn = ['.env']\nfetch_timeout = 'soon'\n")?;
    let said = world.rig(&["config", "check"])?;
    assert_eq!(said.status, Some(2));
    assert_eq!(said.stdout.lines().count(), 2, "{said:?}");
    assert!(said.stdout.contains("the nearest is `workspace.sync`"), "{said:?}");
    let said = world.rig(&["--json", "workspace", "create", "x"])?;
    assert_eq!(said.error()?, ("bad_config".to_owned(), Some(2)));
    Ok(())
}

#[test]
fn check_tells_of_sync_paths_that_leave_the_project_and_why_a_file_is_not_read() -> TestResult {
    let world = World::new()?;
    world.configure("[workspace]\nsync = ['.env', '../x']\nprotected_sync = ['~/y']\n")?;
    let said = world.rig(&["config", "check"])?;
    assert_eq!(said.status, Some(2), "{said:?}");
    let codes: Vec<_> = said.stdout.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(codes, ["sync_path_invalid", "sync_path_invalid"], "{said:?}");
    let file = world.repository.join("rig.toml");
    std::fs::remove_file(&file)?;
    std::fs::create_dir(&file)?;
    let said = world.rig(&["config", "check"])?;
    assert!(said.stdout.contains("cannot be read: it is not a file"), "{said:?}");
    Ok(())
}

#[test]
fn what_belongs_to_the_machine_is_refused_in_a_projects_file() -> TestResult {
    let world = World::new()?;
    world.configure("daemon.mode = 'auto'\n")?;
    let said = world.rig(&["--json", "config", "show"])?;
    assert_eq!(said.error()?, ("machine_level_key".to_owned(), Some(2)));
    Ok(())
}

#[test]
fn check_tells_of_a_named_file_that_is_not_there() -> TestResult {
    let world = World::new()?;
    let mut command = world.command(&["config", "check"]);
    let output = command.env("RIG_CONFIG", world.path("nowhere.toml")).output()?;
    assert!(String::from_utf8_lossy(&output.stdout).contains("nowhere.toml"), "{output:?}");
    assert_eq!(output.status.code(), Some(2));
    Ok(())
}
