use std::fs;
use std::os::unix::fs::symlink;

use super::world::{World, configure, read, write};

#[test]
fn a_lead_begins_with_a_pass_and_a_change_reaches_every_ready_workspace() {
    let mut world = World::new();
    let app = world.project("app", &[".env"], 3);
    write(&app, ".env", "first");
    world.are_ready(&[&app]);
    world.watch();
    world.until(&app, ".env", "first");
    write(&app, ".env", "replaced");
    world.until(&app, ".env", "replaced");
    fs::write(app.root.join(".env"), "written in place").unwrap();
    world.until(&app, ".env", "written in place");
    // What the root lost stays, and comes back as it is then.
    fs::remove_file(app.root.join(".env")).unwrap();
    write(&app, ".env", "again");
    world.until(&app, ".env", "again");
    world.end();
}

#[test]
fn a_change_of_the_list_counts_even_if_it_was_empty_or_there_was_no_file() {
    let mut world = World::new();
    let app = world.project("app", &[], 1);
    fs::remove_file(app.root.join("rig.toml")).unwrap();
    write(&app, ".env", "env");
    write(&app, ".key", "key");
    world.are_ready(&[&app]);
    world.watch();
    configure(&app, &[".env"]);
    world.until(&app, ".env", "env");
    configure(&app, &[]);
    configure(&app, &[".key"]);
    world.until(&app, ".key", "key");
    // What is listed no more is not watched any more; what is, is.
    write(&app, ".env", "not copied");
    write(&app, ".key", "copied");
    world.until(&app, ".key", "copied");
    assert_eq!(read(&app, ".env").as_deref(), Some("env"));
    world.end();
}

#[test]
fn a_change_at_any_depth_of_a_synced_folder_counts() {
    let mut world = World::new();
    let app = world.project("app", &["data"], 2);
    fs::create_dir_all(app.root.join("data/a/b")).unwrap();
    write(&app, "data/a/b/deep", "1");
    world.are_ready(&[&app]);
    world.watch();
    world.until(&app, "data/a/b/deep", "1");
    write(&app, "data/a/b/deep", "2");
    world.until(&app, "data/a/b/deep", "2");
    fs::create_dir_all(app.root.join("data/new/below")).unwrap();
    write(&app, "data/new/below/file", "1");
    world.until(&app, "data/new/below/file", "1");
    write(&app, "data/new/below/file", "2");
    world.until(&app, "data/new/below/file", "2");
    world.end();
}

#[test]
fn an_unreadable_configuration_copies_nothing_and_stays_watched() {
    let mut world = World::new();
    let app = world.project("app", &[".env"], 1);
    let other = world.project("other", &[".env"], 1);
    for project in [&app, &other] {
        write(project, ".env", "1");
    }
    world.are_ready(&[&app, &other]);
    world.watch();
    for (project, bad) in [(&app, "[workspace]\nsync = "), (&app, "workspace.sync = ['../x']")] {
        configure(project, &[".env"]);
        world.until(project, ".env", "1");
        write(project, "rig.toml", bad);
        write(project, ".env", "2");
        // By the time that another project's change is there, this one's would be.
        write(&other, ".env", bad);
        world.until(&other, ".env", bad);
        assert_eq!(read(&app, ".env").as_deref(), Some("1"));
        configure(project, &[".env"]);
        world.until(project, ".env", "2");
        write(project, ".env", "1");
    }
    world.end();
}

#[test]
fn a_workspace_that_becomes_ready_is_copied_to() {
    let mut world = World::new();
    let mut app = world.project("app", &[".env"], 1);
    write(&app, ".env", "1");
    world.are_ready(&[]);
    world.watch();
    world.are_ready(&[&app]);
    world.until(&app, ".env", "1");
    world.workspace(&mut app, "app", 1);
    world.are_ready(&[&app]);
    world.until(&app, ".env", "1");
    world.end();
}

#[test]
fn a_project_is_watched_as_long_as_it_has_a_ready_workspace() {
    let mut world = World::new();
    let app = world.project("app", &[".env"], 1);
    let other = world.project("other", &[".env"], 1);
    world.are_ready(&[&app, &other]);
    world.watch();
    write(&app, ".env", "1");
    world.until(&app, ".env", "1");
    world.are_ready(&[&other]);
    write(&other, ".env", "1");
    world.until(&other, ".env", "1");
    write(&app, ".env", "2");
    write(&other, ".env", "2");
    world.until(&other, ".env", "2");
    assert_eq!(read(&app, ".env").as_deref(), Some("1"));
    let loops = world.shutdown.loops();
    let names: Vec<&str> = loops.iter().map(|shown| &shown.name[..]).collect();
    assert_eq!(names, ["sync", &format!("sync of {}", other.root.display())]);
    world.are_ready(&[&app, &other]);
    world.until(&app, ".env", "2");
    world.end();
}

#[test]
fn folders_on_the_way_that_are_removed_and_made_again_stay_watched() {
    let mut world = World::new();
    let app = world.project("app", &["config/local/.env"], 1);
    world.are_ready(&[&app]);
    world.watch();
    for content in ["1", "2", "3"] {
        fs::create_dir_all(app.root.join("config/local")).unwrap();
        write(&app, "config/local/.env", content);
        world.until(&app, "config/local/.env", content);
        fs::remove_dir_all(app.root.join("config")).unwrap();
    }
    world.end();
}

#[test]
fn a_root_that_vanishes_and_comes_back_is_watched_again() {
    let mut world = World::new();
    let app = world.project("app", &[".env"], 1);
    write(&app, ".env", "1");
    world.are_ready(&[&app]);
    world.watch();
    world.until(&app, ".env", "1");
    let away = world.folder.join("away");
    fs::rename(&app.root, &away).unwrap();
    fs::write(away.join(".env"), "changed meanwhile").unwrap();
    fs::rename(&away, &app.root).unwrap();
    world.until(&app, ".env", "changed meanwhile");
    fs::remove_dir_all(&app.root).unwrap();
    fs::create_dir(&app.root).unwrap();
    configure(&app, &[".env"]);
    write(&app, ".env", "made again");
    world.until(&app, ".env", "made again");
    write(&app, ".env", "changed again");
    world.until(&app, ".env", "changed again");
    world.end();
}

#[test]
fn a_change_of_what_a_link_leads_to_counts() {
    let mut world = World::new();
    let app = world.project("app", &[".env", "data"], 1);
    for folder in ["one", "two"] {
        fs::create_dir(world.folder.join(folder)).unwrap();
        fs::write(world.folder.join(folder).join("env"), folder).unwrap();
    }
    symlink("../one/env", app.root.join(".env")).unwrap();
    symlink("../one", app.root.join("data")).unwrap();
    world.are_ready(&[&app]);
    world.watch();
    world.until(&app, ".env", "one");
    fs::write(world.folder.join("one/env"), "changed").unwrap();
    world.until(&app, ".env", "changed");
    world.until(&app, "data/env", "changed");
    symlink("../two/env", app.root.join(".env.new")).unwrap();
    fs::rename(app.root.join(".env.new"), app.root.join(".env")).unwrap();
    world.until(&app, ".env", "two");
    world.end();
}

#[test]
fn a_workspace_whose_folder_is_gone_holds_up_no_other() {
    let mut world = World::new();
    let app = world.project("app", &[".env"], 3);
    fs::remove_dir(&app.workspaces[0].1).unwrap();
    let mut there = app.clone();
    there.workspaces.remove(0);
    write(&app, ".env", "1");
    world.are_ready(&[&app]);
    world.watch();
    world.until(&there, ".env", "1");
    assert!(!app.workspaces[0].1.exists());
    world.end();
}

#[test]
fn a_change_of_a_protected_file_arrives_and_stays_protected() {
    let mut world = World::new();
    let app = world.project("app", &[], 1);
    write(&app, "rig.toml", "workspace.protected_sync = ['.env']");
    write(&app, ".env", "1");
    world.are_ready(&[&app]);
    world.watch();
    world.until(&app, ".env", "1");
    write(&app, ".env", "the next");
    world.until(&app, ".env", "the next");
    let copy = fs::metadata(app.workspaces[0].1.join(".env")).unwrap();
    assert!(copy.permissions().readonly());
    world.end();
}
