//! Creating workspaces: names, bases, steps, repeated calls.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::id::WorkspaceId;
use rig_core::store::Transact as _;
use rig_git::workspaces::{self, NewWorkspace};
use rig_git::{Error, Machine};

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
    assert_eq!(world.rows(&project), std::slice::from_ref(&row));
    assert_eq!(world.events().iter().filter(|kind| *kind == "workspace.created").count(), 1);
    assert_eq!(world.worktrees(&project.path).len(), 2);
    assert_eq!(world.git(&["branch", "--show-current"], &row.path), "worktree/once");
}

#[test]
fn rolled_back() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let machine = world.machine();
    let id = WorkspaceId::generate(world.store().now());
    let new = NewWorkspace { id: Some(id), ..named(project.id, "Rolled") };
    let planned = workspaces::plan(world.store(), &machine, &new, &Cancel::new()).unwrap();
    let events = world.events();
    let (again, copy) = (planned.clone(), new.clone());
    let failed = world.store().write(move |tx| {
        workspaces::reserve(tx, &again, &copy)?;
        Err::<(), _>(Error::GitNotFound)
    });
    assert_eq!(failed.unwrap_err().code(), "git_not_found");
    assert_eq!(world.rows(&project), []);
    assert_eq!(world.events(), events);
    assert!(!world.workspaces().exists());
    for _ in 0..2 {
        let (planned, new) = (planned.clone(), new.clone());
        let row = world.store().write(move |tx| workspaces::reserve(tx, &planned, &new)).unwrap();
        assert_eq!(row.id, id);
    }
    assert_eq!(world.materialize(id).status.to_string(), "ready");
    assert_eq!(world.rows(&project).len(), 1);
    assert_eq!(world.worktrees(&project.path).len(), 2);
}

#[test]
fn sixty_times_a_twice() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let name = "a".repeat(60);
    let first = world.reserve(&project, &name);
    let second = world.reserve(&project, &name);
    assert_eq!(first.storage_key, "a".repeat(48));
    assert_eq!(second.storage_key, format!("{}-2", "a".repeat(46)));
    assert_eq!(second.name.as_str(), format!("{name} (2)"));
}

#[test]
fn names_that_slug_alike_keep_apart() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let key_and_branch = |name: &str| {
        let row = world.ready(&project, name);
        (row.storage_key, row.branch.trim_start_matches("worktree/").to_owned())
    };
    let same = |text: &str| (text.to_owned(), text.to_owned());
    assert_eq!(key_and_branch("feat/a-b"), same("feat-a-b"));
    assert_eq!(key_and_branch("feat-a/b"), same("feat-a-b-2"));
    assert_eq!(key_and_branch("Foo"), same("foo"));
    // The name is taken in another case, so it gets a number; the key comes from the name asked for.
    assert_eq!(key_and_branch("foo"), same("foo-2"));
    assert_eq!(key_and_branch("--force"), same("force"));
    assert_eq!(key_and_branch("-x"), same("x"));
    assert_eq!(key_and_branch("🚀"), same("workspace"));
}

#[test]
fn a_shared_name_gets_numbers() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let first = world.reserve(&project, "Shared Name");
    let second = world.reserve(&project, "Shared Name");
    assert_eq!(
        (first.name.as_str(), first.branch.as_str()),
        ("Shared Name", "worktree/shared-name")
    );
    let second = (second.name.as_str(), second.branch.as_str());
    assert_eq!(second, ("Shared Name (2)", "worktree/shared-name-2"));
}

#[test]
fn a_branch_called_worktree_rules_out_all_others() {
    let world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    world.git(&["branch", "worktree"], &repository);
    let refused = world.try_reserve(named(project.id, "Any")).unwrap_err();
    assert_eq!(refused.code(), "branch_conflict");
    assert!(refused.to_string().contains("\"worktree\""), "{refused}");
    assert_eq!(world.rows(&project), []);
}

#[test]
fn a_branch_below_the_wanted_one_takes_it() {
    let world = World::new();
    let repository = world.repository("proj");
    world.git(&["branch", "worktree/feat/x"], &repository);
    let row = world.ready(&world.project(&repository), "feat");
    assert_eq!(row.branch, "worktree/feat-2");
}

#[test]
fn big_packed_refs() {
    let world = World::new();
    let repository = world.repository("proj");
    let commit = world.git(&["rev-parse", "HEAD"], &repository);
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    for number in 0..300_000 {
        writeln!(packed, "{commit} refs/archive/{number:09}/of-a-long-name").unwrap();
    }
    writeln!(packed, "{commit} refs/heads/worktree/workspace").unwrap();
    assert!(packed.len() > 20 << 20);
    fs::write(repository.join(".git/packed-refs"), packed).unwrap();
    let row = world.ready(&world.project(&repository), "Workspace");
    assert_eq!(row.branch, "worktree/workspace-2");
    assert_eq!(row.storage_key, "workspace-2");
}

#[test]
fn refs_unreadable() {
    let world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    // git looks at HEAD first: without it there is no repository that can be read.
    fs::rename(repository.join(".git/refs"), repository.join(".git/away")).unwrap();
    fs::write(repository.join(".git/refs"), "not a folder").unwrap();
    let reserved = world.try_reserve(named(project.id, "Workspace"));
    fs::remove_file(repository.join(".git/refs")).unwrap();
    fs::rename(repository.join(".git/away"), repository.join(".git/refs")).unwrap();
    // Either it proves to be no repository, or it is reserved under names that hold the ID.
    let row = reserved.unwrap();
    let digits = row.id.to_string().replace("ws_", "");
    assert_eq!(row.storage_key, format!("workspace-{digits}"));
    assert_eq!(row.branch, format!("worktree/workspace-{digits}"));
}

#[test]
fn the_same_id_with_another_request_is_a_conflict() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let other = world.project(&world.repository("other"));
    let id = WorkspaceId::generate(world.store().now());
    let new = NewWorkspace { id: Some(id), ..named(project.id, "Once") };
    let with_base = |base: &str| NewWorkspace { base: Some(base.to_owned()), ..new.clone() };
    world.try_reserve(new.clone()).unwrap();
    let conflict = world.try_reserve(with_base("HEAD~0")).unwrap_err();
    assert_eq!(conflict.code(), "id_conflict");
    assert!(conflict.to_string().contains("base_ref"), "{conflict}");
    let elsewhere = NewWorkspace { project: other.id, ..new.clone() };
    assert_eq!(world.try_reserve(elsewhere).unwrap_err().code(), "id_conflict");

    let id = WorkspaceId::generate(world.store().now());
    let new = NewWorkspace { id: Some(id), base: Some(" main ".to_owned()), ..new };
    let row = world.try_reserve(new.clone()).unwrap();
    assert_eq!(row.base.requested.as_deref(), Some("main"));
    assert_eq!(world.try_reserve(NewWorkspace { base: None, ..new.clone() }).unwrap(), row);
    assert_eq!(world.try_reserve(new).unwrap(), row);
}

#[test]
fn a_base_that_names_no_commit_reserves_nothing() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let code = |base: &str| world.reserve_from(&project, base).unwrap_err().code();
    assert_eq!(code("-x"), "base_ref_invalid");
    assert_eq!(code("HEAD:f"), "base_ref_invalid");
    assert_eq!(code(&"x".repeat(201)), "base_ref_invalid");
    assert_eq!(code("a\u{7}b"), "base_ref_invalid");
    assert_eq!(code("nope"), "base_not_found");
    assert_eq!(code("origin/nope"), "base_not_found");
    assert_eq!(world.rows(&project), []);
    assert!(!world.workspaces().exists());
}

#[test]
fn moving_base() {
    let mut world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    let first = world.git(&["rev-parse", "HEAD"], &repository);
    let row = world.reserve_from(&project, "main").unwrap();
    world.commit(&repository, "later.txt", "later");
    world.restart();
    let row = world.materialize(row.id);
    assert_eq!(row.status.to_string(), "ready");
    assert_eq!(row.base.commit, Some(first.clone()));
    assert_eq!(world.git(&["rev-parse", "HEAD"], &row.path), first);
    assert_eq!(row.base.reference.as_deref(), Some("refs/heads/main"));
}

#[test]
fn the_default_base_is_the_trunk_and_never_what_is_checked_out() {
    let world = World::new();
    let repository = world.repository("proj");
    let trunk = world.git(&["rev-parse", "HEAD"], &repository);
    let project = world.project(&repository);
    assert_eq!(project.trunk.as_deref(), Some("main"));
    world.git(&["switch", "-q", "-c", "feature"], &repository);
    world.commit(&repository, "feature.txt", "feature");
    assert_eq!(world.ready(&project, "New").base.commit, Some(trunk));
}

#[test]
fn a_detached_head_without_a_trunk_needs_a_base() {
    let world = World::new();
    let repository = world.repository_with("proj", &["--initial-branch=odd"]);
    world.git(&["checkout", "-q", "--detach"], &repository);
    let project = world.project(&repository);
    assert_eq!(project.trunk, None);
    assert_eq!(world.try_reserve(named(project.id, "New")).unwrap_err().code(), "no_base");
    let row = world.reserve_from(&project, "odd").unwrap();
    assert_eq!(world.materialize(row.id).status.to_string(), "ready");
}

#[test]
fn an_ambiguous_base_is_read_as_git_does_with_a_warning() {
    let world = World::new();
    let repository = world.repository("proj");
    let tagged = world.git(&["rev-parse", "HEAD"], &repository);
    world.git(&["tag", "twice"], &repository);
    world.commit(&repository, "later.txt", "later");
    world.git(&["branch", "twice"], &repository);
    let project = world.project(&repository);
    let row = world.reserve_from(&project, "twice").unwrap();
    let row = world.materialize(row.id);
    assert_eq!(row.base.commit, Some(tagged));
    assert!(row.warnings[0].contains("refs/tags/twice"), "{:?}", row.warnings);
}

#[test]
fn a_root_that_cannot_hold_workspaces_is_refused() {
    let world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    let refused = |root: &Path| {
        let machine = Machine { workspaces_root: root.to_owned(), ..world.machine() };
        let new = named(project.id, "Any");
        let refused = workspaces::create(world.store(), &machine, new, &Cancel::new());
        refused.unwrap_err().code()
    };
    assert_eq!(refused(Path::new("rel")), "workspaces_root_invalid");
    assert_eq!(refused(&repository.join("inside")), "workspaces_root_invalid");
    assert_eq!(refused(&repository.join(".git/inside")), "workspaces_root_invalid");
    assert_eq!(refused(&repository.join("README.md/inside")), "workspaces_root_invalid");
    assert_eq!(refused(&world.write("file", "")), "workspaces_root_invalid");
    let nowhere = world.root().join("nowhere");
    std::os::unix::fs::symlink("gone", &nowhere).unwrap();
    assert_eq!(refused(&nowhere.join("inside")), "workspaces_root_invalid");
    let link = world.root().join("link");
    symlink(&repository, &link).unwrap();
    assert_eq!(refused(&link.join("inside")), "workspaces_root_invalid");
    assert_eq!(world.rows(&project), []);
}

#[test]
fn another_root_affects_new_workspaces_only() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Old");
    let machine = Machine { workspaces_root: world.root().join("elsewhere"), ..world.machine() };
    let row = world.materialize_on(&machine, row.id);
    assert_eq!(*row.path, *world.workspaces().join("proj/old"));
    assert!(row.path.join("README.md").exists());
    let mode = fs::metadata(world.workspaces()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn new_rows_come_first_and_can_be_moved() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let first = world.reserve(&project, "first").id;
    let second = world.reserve(&project, "second").id;
    let order = || world.rows(&project).iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(order(), [second, first]);
    workspaces::reorder(world.store(), first, None, None).unwrap();
    assert_eq!(order(), [first, second]);
    workspaces::reorder(world.store(), first, Some(second), None).unwrap();
    assert_eq!(order(), [second, first]);
}

#[test]
fn an_edit_holds_unless_somebody_else_edited() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Row");
    let rename = |name: &str, expected| {
        let machine = world.machine();
        workspaces::rename(world.store(), &machine, row.id, name, Caller::Person, Some(expected))
    };
    // What happened in the background since version 1 is no edit.
    assert_eq!(rename("Other", 1).unwrap().user_version, 4);
    let conflict = rename("Third", 1).unwrap_err();
    assert_eq!(conflict.code(), "version_conflict");
    assert_eq!(rename("Third", 4).unwrap().name.as_str(), "Third");
}
