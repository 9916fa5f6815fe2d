use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rig_core::cancel::Cancel;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::super::bell::Bell;
use super::super::project::{Project, Watched};
use super::super::ready::ReadyProject;
use super::world::{World, read, write};

fn project(world: &World, of: &ReadyProject) -> Project {
    Project {
        id: of.id,
        ready: world.ready(),
        user_config: None,
        bell: Arc::default(),
        cancel: Cancel::new(),
        watched: Mutex::new(Watched::default()),
    }
}

fn until_it_rings(bell: &Bell) {
    let wake = bell.wake();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let rang = runtime.block_on(async { timeout(Duration::from_secs(20), wake.notified()).await });
    assert!(rang.is_ok(), "it never rang");
}

#[test]
fn neither_copying_nor_reading_what_is_watched_is_a_change() {
    let world = World::new();
    let (app, other) =
        (world.project("app", &[".env", "data"], 2), world.project("other", &[".env"], 1));
    fs::create_dir(app.root.join("data")).unwrap();
    write(&app, ".env", "1");
    write(&app, "data/file", "1");
    world.are_ready(&[&app, &other]);
    let (watched, sentinel) = (project(&world, &app), project(&world, &other));
    watched.look().unwrap();
    sentinel.look().unwrap();
    assert_eq!(read(&app, "data/file").as_deref(), Some("1"));
    for path in ["rig.toml", ".env", "data/file"] {
        fs::read(app.root.join(path)).unwrap();
    }
    assert_eq!(fs::read_dir(app.root.join("data")).unwrap().count(), 1);
    write(&app, "README.md", "not a sync file");
    // A look without a reason leaves the workspaces alone.
    fs::write(app.workspaces[0].1.join(".env"), "the workspace's own").unwrap();
    watched.look().unwrap();
    assert_eq!(read(&app, ".env").as_deref(), Some("the workspace's own"));
    write(&other, ".env", "1");
    until_it_rings(&sentinel.bell);
    assert!(!watched.bell.has_rung());
    write(&app, ".env", "2");
    until_it_rings(&watched.bell);
    watched.look().unwrap();
    assert_eq!(read(&app, ".env").as_deref(), Some("2"));
}

#[test]
fn what_cannot_be_watched_is_looked_at_every_half_minute() {
    let world = World::new();
    let app = world.project("app", &[".env"], 1);
    write(&app, ".env", "1");
    world.are_ready(&[&app]);
    let watched = project(&world, &app);
    assert_eq!(watched.look().unwrap(), Duration::from_mins(1));
    let away = world.folder.join("gone");
    fs::rename(&app.root, &away).unwrap();
    assert_eq!(watched.look().unwrap(), Duration::from_secs(30));
    assert_eq!(read(&app, ".env").as_deref(), Some("1"));
    fs::rename(&away, &app.root).unwrap();
    assert_eq!(watched.look().unwrap(), Duration::from_mins(1));
}

#[test]
fn another_folder_in_the_place_of_the_root_is_noticed_without_being_told() {
    let world = World::new();
    let app = world.project("app", &[".env"], 1);
    write(&app, ".env", "1");
    world.are_ready(&[&app]);
    let watched = project(&world, &app);
    watched.look().unwrap();
    let other = world.project("other", &[".env"], 0);
    write(&other, ".env", "from the other");
    fs::rename(&app.root, world.folder.join("away")).unwrap();
    fs::rename(&other.root, &app.root).unwrap();
    watched.look().unwrap();
    assert_eq!(read(&app, ".env").as_deref(), Some("from the other"));
}

#[test]
fn a_store_that_cannot_be_read_fails_the_look_and_the_next_one_copies() {
    let world = World::new();
    let app = world.project("app", &[".env"], 1);
    write(&app, ".env", "1");
    world.are_ready(&[&app]);
    let mut watched = project(&world, &app);
    let ready = std::mem::replace(&mut watched.ready, Arc::new(|| Err("the disk is gone".into())));
    assert_eq!(watched.look().unwrap_err().to_string(), "the disk is gone");
    watched.ready = ready;
    watched.look().unwrap();
    assert_eq!(read(&app, ".env").as_deref(), Some("1"));
}
