//! Creating workspaces: names, bases, steps, repeated calls.

use std::fs;

use rig_core::id::WorkspaceId;
use rig_core::store::Transact as _;
use rig_git::workspaces::NewWorkspace;

use crate::life::{named, steps};
use crate::world::World;

#[test]
fn a_workspace_is_ready_on_its_own_branch() {
    let world = World::new();
    let repository = world.repository("my repo");
    let project = world.project(&repository);
    let reserved = world.reserve(&project, "Retry policy rewrite");
    assert_eq!((reserved.version, reserved.status.to_string().as_str()), (1, "initializing"));
    let row = world.materialize(reserved.id);
    assert_eq!(row.error, None);
    assert_eq!(row.status.to_string(), "ready");
    assert_eq!(row.version, 3);
    assert_eq!(row.branch, "worktree/retry-policy-rewrite");
    assert_eq!(*row.path, *world.workspaces().join("my-repo/retry-policy-rewrite"));
    assert_eq!(fs::read_to_string(row.path.join("README.md")).unwrap(), "first");
    assert_eq!(world.git(&["branch", "--show-current"], &row.path), row.branch);
    assert_eq!(
        steps(&row),
        [
            "resolve done",
            "checkout done",
            "verify done",
            "sync skipped",
            "setup skipped",
            "ready done"
        ]
    );
    assert_eq!(
        world.events().iter().filter(|kind| *kind != "workspace.step").collect::<Vec<_>>(),
        ["project.added", "workspace.created", "workspace.base_resolved", "workspace.ready"]
    );
}

#[test]
fn key_meets_disk() {
    let world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    let stray = world.write("workspaces/proj/workspace/keep.txt", "kept");
    world.git(&["branch", "worktree/workspace-2"], &repository);
    world.git(&["pack-refs", "--all"], &repository);
    let row = world.ready(&project, "Workspace");
    assert_eq!(row.storage_key, "workspace-3");
    assert_eq!(row.branch, "worktree/workspace");
    assert_eq!(fs::read_to_string(stray).unwrap(), "kept");
}

#[test]
fn retried_create() {
    let mut world = World::new();
    let project = world.project(&world.repository("proj"));
    let id = WorkspaceId::generate(world.store().now());
    let new = NewWorkspace { id: Some(id), ..named(project.id, "Once") };
    for _ in 0..10 {
        assert_eq!(world.try_reserve(new.clone()).unwrap().id, id);
    }
    world.restart();
    world.try_reserve(new.clone()).unwrap();
    let row = world.materialize(id);
    assert_eq!(world.try_reserve(new).unwrap(), row);
    assert_eq!(world.rows(&project), [row.clone()]);
    assert_eq!(world.events().iter().filter(|kind| *kind == "workspace.created").count(), 1);
    assert_eq!(world.worktrees(&project.path).len(), 2);
    assert_eq!(world.git(&["branch", "--show-current"], &row.path), "worktree/once");
}
