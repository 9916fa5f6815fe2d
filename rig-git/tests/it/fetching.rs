//! Bases that live at a remote.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use rig_core::project::Project;
use rig_git::workspaces::NewWorkspace;

use crate::life::{named, steps};
use crate::world::World;

/// A clone and its origin.
fn cloned(world: &World) -> (PathBuf, PathBuf, Project) {
    let origin = world.repository("origin");
    let clone = world.clone_of(&origin, "clone");
    let project = world.project(&clone);
    (origin, clone, project)
}

#[test]
fn the_default_base_is_what_the_remote_has_now() {
    let world = World::new();
    let (origin, clone, project) = cloned(&world);
    let before = world.git(&["for-each-ref"], &clone);
    let newest = world.commit(&origin, "later.txt", "later");
    let row = world.ready(&project, "New");
    assert_eq!(row.base.commit, Some(newest.clone()));
    assert_eq!(row.base.reference.as_deref(), Some("refs/remotes/origin/main"));
    assert!(!row.base.stale);
    assert_eq!(steps(&row)[0], "fetch done");
    // Nothing but the remote-tracking ref and the new branch.
    assert!(!clone.join(".git/FETCH_HEAD").exists());
    let local = |refs: &str| {
        refs.lines()
            .filter(|line| !line.contains("refs/remotes/origin/") && !line.contains("worktree/new"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(local(&world.git(&["for-each-ref"], &clone)), local(&before));
    assert_eq!(world.git(&["rev-parse", "origin/main"], &clone), newest);
}

#[test]
fn dead_remote() {
    let world = World::new();
    let (origin, clone, project) = cloned(&world);
    let local = world.git(&["rev-parse", "main"], &clone);
    fs::rename(&origin, world.root().join("gone")).unwrap();
    let row = world.ready(&project, "At local");
    assert_eq!(row.base.commit, Some(local.clone()));
    assert_eq!(row.base.reference.as_deref(), Some("refs/heads/main"));
    assert!(row.base.stale);
    assert_eq!(steps(&row)[0], "fetch warned");

    // The local trunk is behind what was fetched last.
    fs::rename(world.root().join("gone"), &origin).unwrap();
    world.commit(&origin, "a.txt", "a");
    let fetched = world.commit(&origin, "b.txt", "b");
    world.git(&["fetch", "-q"], &clone);
    fs::rename(&origin, world.root().join("gone")).unwrap();
    let row = world.ready(&project, "Behind");
    assert_eq!(row.base.commit, Some(local));
    let warned = row.warnings.iter().any(|warning| {
        warning.contains("lacks 2 commits") && warning.contains("--base origin/main")
    });
    assert!(warned, "{:?}", row.warnings);

    // There is no local trunk.
    world.git(&["checkout", "-q", "--detach"], &clone);
    world.git(&["branch", "-q", "-D", "main"], &clone);
    let row = world.ready(&project, "No local");
    assert_eq!(row.base.commit, Some(fetched));
    assert_eq!(row.base.reference.as_deref(), Some("refs/remotes/origin/main"));
    assert!(row.base.stale);
}

#[test]
fn an_explicit_local_base_is_used_however_stale_and_nothing_is_fetched() {
    let world = World::new();
    let (origin, clone, project) = cloned(&world);
    let local = world.git(&["rev-parse", "main"], &clone);
    let newest = world.commit(&origin, "later.txt", "later");
    let row = world.materialize(world.reserve_from(&project, "main").unwrap().id);
    assert_eq!(row.base.commit, Some(local));
    assert_eq!(steps(&row)[0], "resolve done");
    let row = world.materialize(world.reserve_from(&project, "origin/main").unwrap().id);
    assert_eq!(row.base.commit, Some(newest));
}

#[test]
fn an_unknown_remote_branch_is_fetched_before_it_is_reserved() {
    let world = World::new();
    let (origin, _, project) = cloned(&world);
    world.git(&["switch", "-q", "-c", "topic"], &origin);
    let topic = world.commit(&origin, "topic.txt", "topic");
    assert_eq!(world.reserve_from(&project, "origin/nope").unwrap_err().code(), "base_not_found");
    assert_eq!(world.rows(&project), []);
    let row = world.materialize(world.reserve_from(&project, "origin/topic").unwrap().id);
    assert_eq!(row.base.commit, Some(topic));
    assert_eq!(row.status.to_string(), "ready");
}

#[test]
fn hanging_fetch() {
    let world = World::new();
    let (_, clone, project) = cloned(&world);
    // A remote that never answers, until it is ended.
    let url =
        format!("ext::sh -c 'echo $$ > {}; exec sleep 600'", world.root().join("pid").display());
    world.git(
        &[
            "config",
            "remote.origin.url",
            &url.replace(' ', "% ").replace("ext::sh% -c% ", "ext::sh -c "),
        ],
        &clone,
    );
    world.git(&["config", "protocol.ext.allow", "always"], &clone);
    world.write("clone/rig.toml", "[workspace]\nfetch_timeout = \"200ms\"\n");
    // Creating answers, and a local base goes on.
    let hanging = world.reserve(&project, "Hanging");
    let local = world.materialize(world.reserve_from(&project, "main").unwrap().id);
    assert_eq!(local.status.to_string(), "ready");
    let row = world.materialize(hanging.id);
    assert_eq!(row.status.to_string(), "ready");
    assert!(row.base.stale);
    assert_eq!(steps(&row)[0], "fetch warned");
}

#[test]
fn many_creates_cost_two_fetches_at_most() {
    let world = World::new();
    let (origin, clone, project) = cloned(&world);
    world.clock.advance(Duration::from_secs(1));
    let rows: Vec<_> = (0..6).map(|n| world.reserve(&project, &format!("Row {n}")).id).collect();
    // Each fetch runs this; the clock moves with it, as it would.
    let counted = world.root().join("counted");
    let upload = format!("echo x >> '{}'; git-upload-pack", counted.display());
    world.git(&["config", "remote.origin.uploadpack", &upload], &clone);
    world.commit(&origin, "later.txt", "later");
    world.clock.advance(Duration::from_secs(1));
    for id in rows {
        assert_eq!(world.materialize(id).status.to_string(), "ready");
    }
    assert_eq!(fs::read_to_string(&counted).unwrap().lines().count(), 1);
}

#[test]
fn a_remote_head_names_the_trunk() {
    let world = World::new();
    let origin = world.repository_with("origin", &["--initial-branch=develop"]);
    let clone = world.clone_of(&origin, "clone");
    world.git(&["branch", "main"], &clone);
    let project = world.project(&clone);
    assert_eq!(project.trunk.as_deref(), Some("develop"));
    let row = world.try_reserve(NewWorkspace { base: None, ..named(project.id, "New") }).unwrap();
    assert_eq!(
        world.materialize(row.id).base.reference.as_deref(),
        Some("refs/remotes/origin/develop")
    );
}
