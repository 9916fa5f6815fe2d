//! What the next start makes of what a crash left.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use rig_core::cancel::Cancel;
use rig_core::id::WorkspaceId;
use rig_core::store::{Table, Transact as _};
use rig_core::workspace::{Checkout, Workspace};
use rig_git::Error;
use rig_git::progress::Progress;
use rig_git::workspaces;

use crate::life::steps;
use crate::processes::runs;
use crate::world::World;

/// Puts the row where a process that was killed left it.
fn left_at(world: &World, id: WorkspaceId, checkout: Checkout) {
    const WORKSPACES: Table<WorkspaceId, Workspace> = Table::new("git/workspaces");
    let mut row = world.row(id);
    let base = row.base.clone();
    row.base_resolved(base);
    row.checkout = checkout;
    world.store().write(move |tx| Ok::<_, Error>(tx.put(WORKSPACES, &id, &row)?)).unwrap();
}

/// What git itself does on our behalf.
fn add(world: &World, project: &Path, row: &Workspace) {
    fs::create_dir_all(row.path.parent().unwrap()).unwrap();
    let (path, commit) = (row.path.to_str().unwrap(), row.base.commit.as_deref().unwrap());
    world.git(&["worktree", "add", "-q", "-b", &row.branch, "--", path, commit], project);
}

fn entry(world: &World, row: &Workspace) -> std::path::PathBuf {
    world.git(&["rev-parse", "--absolute-git-dir"], &row.path).into()
}

#[test]
fn a_complete_checkout_is_adopted_and_not_added_again() {
    let mut world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Cut");
    left_at(&world, row.id, Checkout::Started);
    add(&world, &project.path, &row);
    let made = fs::metadata(row.path.join("README.md")).unwrap().modified().unwrap();
    world.restart();
    let row = world.materialize(row.id);
    assert_eq!(row.error, None);
    assert_eq!(row.status.to_string(), "ready");
    assert_eq!(fs::metadata(row.path.join("README.md")).unwrap().modified().unwrap(), made);
    assert_eq!(world.worktrees(&project.path).len(), 2);
}

#[test]
fn a_half_written_tree_is_made_again_from_the_recorded_commit() {
    let mut world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    let row = world.reserve_from(&project, "main").unwrap();
    left_at(&world, row.id, Checkout::Started);
    add(&world, &project.path, &row);
    let entry = entry(&world, &row);
    world.write(entry.join("locked"), "initializing");
    world.write(entry.join("index.lock"), "");
    fs::remove_file(row.path.join("README.md")).unwrap();
    // The base moved on meanwhile.
    world.commit(&repository, "later.txt", "later");
    world.restart();
    let row = world.materialize(row.id);
    assert_eq!(row.error, None);
    assert_eq!(row.status.to_string(), "ready");
    assert!(row.path.join("README.md").exists());
    assert!(!row.path.join("later.txt").exists());
    assert_eq!(row.branch, "worktree/base");
    assert_eq!(world.worktrees(&repository).len(), 2);
    assert_eq!(world.branches(&repository), ["main", "worktree/base"]);
    assert_eq!(world.git(&["status", "--porcelain"], &row.path), "");
}

#[test]
fn a_removal_that_was_killed_is_ended_and_the_checkout_made_again() {
    let mut world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve_from(&project, "main").unwrap();
    left_at(&world, row.id, Checkout::Started);
    add(&world, &project.path, &row);
    // What the removal of a half-made checkout notes before it deletes anything.
    let folder = fs::metadata(&row.path).unwrap();
    let born = folder.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
    let born = born.map_or(0, |born| born.as_nanos());
    let note = world.state().join("removing").join(row.id.to_string());
    world.write(&note, format!("{} {} {born}\n", folder.dev(), folder.ino()));
    fs::remove_file(row.path.join(".git")).unwrap();
    world.restart();
    let row = world.materialize(row.id);
    assert_eq!(row.error, None);
    assert_eq!(world.git(&["status", "--porcelain"], &row.path), "");
    assert!(!note.exists());
}

#[test]
fn a_finished_checkout_keeps_changes_and_commits() {
    let mut world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Mine");
    left_at(&world, row.id, Checkout::Done);
    add(&world, &project.path, &row);
    let commit = world.commit(&row.path, "mine.txt", "mine");
    world.write(row.path.join("README.md"), "changed");
    world.restart();
    let row = world.materialize(row.id);
    assert_eq!(row.status.to_string(), "ready");
    assert_eq!(world.git(&["rev-parse", "HEAD"], &row.path), commit);
    assert_eq!(fs::read_to_string(row.path.join("README.md")).unwrap(), "changed");
}

#[test]
fn a_folder_that_went_is_added_again_on_its_branch_with_its_commits() {
    let mut world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Gone");
    left_at(&world, row.id, Checkout::Done);
    add(&world, &project.path, &row);
    let commit = world.commit(&row.path, "mine.txt", "mine");
    fs::remove_dir_all(&row.path).unwrap();
    world.restart();
    let row = world.materialize(row.id);
    assert_eq!(row.error, None);
    assert_eq!(row.status.to_string(), "ready");
    assert_eq!(world.git(&["rev-parse", "HEAD"], &row.path), commit);
    assert_eq!(world.worktrees(&project.path).len(), 2);
}

#[test]
fn a_stale_entry_of_ours_does_not_hinder() {
    let mut world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Stale");
    left_at(&world, row.id, Checkout::Started);
    add(&world, &project.path, &row);
    fs::remove_dir_all(&row.path).unwrap();
    fs::create_dir(&row.path).unwrap();
    world.restart();
    let row = world.materialize(row.id);
    assert_eq!(row.error, None);
    assert_eq!(row.branch, "worktree/stale");
    assert_eq!(world.worktrees(&project.path).len(), 2);
}

#[test]
fn anything_else_at_the_path_is_untouched() {
    let mut world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    for (name, checkout) in [("One", Checkout::Started), ("Two", Checkout::Done)] {
        let row = world.reserve(&project, name);
        left_at(&world, row.id, checkout);
        fs::create_dir_all(row.path.parent().unwrap()).unwrap();
        let clone = world.clone_of(&repository, &*row.path);
        world.write(clone.join("theirs.txt"), "theirs");
        world.restart();
        let row = world.materialize(row.id);
        assert_eq!(row.error.unwrap().code, "path_taken");
        assert_eq!(fs::read_to_string(row.path.join("theirs.txt")).unwrap(), "theirs");
    }
}

#[test]
fn a_half_made_checkout_on_another_branch_is_left_alone() {
    let mut world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Other");
    left_at(&world, row.id, Checkout::Started);
    add(&world, &project.path, &row);
    world.git(&["switch", "-q", "-c", "theirs"], &row.path);
    world.write(row.path.join("README.md"), "changed");
    world.restart();
    let row = world.materialize(row.id);
    assert_eq!(row.error.unwrap().code, "path_taken");
    assert_eq!(fs::read_to_string(row.path.join("README.md")).unwrap(), "changed");
}

#[test]
fn a_branch_that_moved_since_is_not_ours_to_reuse() {
    let mut world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Moved");
    left_at(&world, row.id, Checkout::Started);
    let later = world.commit(&project.path, "later.txt", "later");
    world.git(&["branch", &row.branch, &later], &project.path);
    world.restart();
    let row = world.materialize(row.id);
    assert_eq!(row.branch, "worktree/moved-2");
    assert_eq!(world.git(&["rev-parse", "worktree/moved"], &project.path), later);
}

#[test]
fn a_lock_that_a_killed_git_left_on_the_branch_is_left_and_another_branch_taken() {
    let mut world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    let row = world.reserve_from(&project, "main").unwrap();
    left_at(&world, row.id, Checkout::Started);
    let lock = world.write(repository.join(format!(".git/refs/heads/{}.lock", row.branch)), "");
    world.restart();
    let made = world.materialize(row.id);
    assert_eq!(made.error, None);
    assert_eq!(made.branch, format!("{}-2", row.branch));
    assert_eq!(world.git(&["branch", "--show-current"], &made.path), made.branch);
    assert!(lock.exists());
}

#[test]
fn a_recorded_commit_that_is_gone_is_base_lost() {
    let mut world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    world.git(&["switch", "-q", "-c", "topic"], &repository);
    world.commit(&repository, "topic.txt", "topic");
    let row = world.reserve_from(&project, "topic").unwrap();
    world.git(&["switch", "-q", "main"], &repository);
    world.git(&["branch", "-q", "-D", "topic"], &repository);
    world.git(&["reflog", "expire", "--expire=now", "--all"], &repository);
    world.git(&["gc", "-q", "--prune=now"], &repository);
    world.restart();
    let error = world.materialize(row.id).error.unwrap();
    assert_eq!(error.code, "base_lost");
    assert!(error.message.contains(row.base.commit.as_deref().unwrap()));
}

#[test]
fn a_project_that_vanished_is_project_missing() {
    let world = World::new();
    let repository = world.repository("proj");
    let row = world.reserve(&world.project(&repository), "Any");
    fs::rename(&repository, world.root().join("away")).unwrap();
    assert_eq!(world.materialize(row.id).error.unwrap().code, "project_missing");
    fs::rename(world.root().join("away"), &repository).unwrap();
    assert_eq!(world.retried(row.id).status.to_string(), "ready");
}

#[test]
fn a_killed_git_leaves_nothing_that_goes_on_writing() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, ".gitattributes", "*.slow filter=slow\n");
    world.commit(&repository, "a.slow", "a");
    // The filter kills the git that we started, and would go on writing for long.
    let pid = world.root().join("pid");
    let script =
        format!("echo $$ > '{}'; kill -9 $(ps -o sid= -p $$); exec sleep 600", pid.display());
    let filter = world.write("filter.sh", format!("{script}\n"));
    let command = format!("sh '{}'", filter.display());
    world.git(&["config", "filter.slow.smudge", &command], &repository);
    let project = world.project(&repository);
    let row = world.made(&project, "Killed");
    assert_eq!(row.status.to_string(), "failed");
    let pid = fs::read_to_string(&pid).unwrap();
    assert!(!runs(&pid), "the filter is still running");
    world.git(&["config", "filter.slow.smudge", "cat"], &repository);
    let row = world.retried(row.id);
    assert_eq!(row.error, None);
    assert_eq!(world.git(&["status", "--porcelain"], &row.path), "");
}

#[test]
fn a_cancelled_making_stays_initializing_and_goes_on() {
    let mut world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, "rig.toml", "[workspace]\nsetup_commands = [\"sleep 600\"]\n");
    let project = world.project(&repository);
    let row = world.reserve(&project, "Stopped");
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let stop_at_setup = &mut |progress: Progress<'_>| {
        if matches!(progress, Progress::Step(_, Some(1))) {
            flag.cancel();
        }
    };
    let stopped =
        workspaces::materialize(world.store(), &world.machine(), row.id, stop_at_setup, &cancel);
    assert_eq!(stopped.unwrap_err().code(), "cancelled");
    assert_eq!(world.row(row.id).status.to_string(), "initializing");
    world.restart();
    world.write(row.path.join("rig.toml"), "[workspace]\nsetup_commands = [\"true\"]\n");
    let pending = world.store().read(workspaces::pending).unwrap();
    assert_eq!(pending.iter().map(|row| row.id).collect::<Vec<_>>(), [row.id]);
    let row = world.materialize(row.id);
    assert_eq!(row.status.to_string(), "ready");
    assert!(steps(&row).contains(&"setup 1 done".to_owned()));
}
