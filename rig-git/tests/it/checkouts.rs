//! Checkouts in repositories as people have them: hooks, filters, sparse patterns, odd formats.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rig_git::Error;

use crate::life::{named, steps};
use crate::world::World;

fn hook(world: &World, repository: &Path, name: &str, script: &str) {
    let path =
        world.write(repository.join(".git/hooks").join(name), format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn failing_hook() {
    let world = World::new();
    let repository = world.repository("proj");
    hook(&world, &repository, "post-checkout", "exit 3");
    let project = world.project(&repository);
    let row = world.made(&project, "Hooked");
    let error = row.error.clone().unwrap();
    assert_eq!(error.code, "hook_failed");
    assert!(error.message.contains("exited with 3"), "{}", error.message);
    assert_eq!(row.status.to_string(), "failed");
    world.write(row.path.join("mine.txt"), "mine");
    let row = world.retried(row.id);
    assert_eq!((row.status.to_string().as_str(), row.attempt), ("ready", 2));
    assert_eq!(fs::read_to_string(row.path.join("mine.txt")).unwrap(), "mine");
    assert_eq!(row.error, None);
}

#[test]
fn work_in_a_checkout_whose_head_a_hook_moved_survives_retry_and_archive() {
    let world = World::new();
    let repository = world.repository("proj");
    hook(&world, &repository, "post-checkout", "git commit -q --allow-empty -m hook");
    let project = world.project(&repository);
    for (name, archived) in [("Retried", false), ("Archived", true)] {
        let row = world.made(&project, name);
        assert_eq!(row.error.clone().unwrap().code, "unexpected_head");
        world.write(row.path.join("README.md"), "mended");
        if archived {
            assert!(world.archived(row.id).workspace.saved.is_some());
            assert!(!row.path.exists());
        } else {
            assert_eq!(world.retried(row.id).status.to_string(), "ready");
            assert_eq!(fs::read_to_string(row.path.join("README.md")).unwrap(), "mended");
        }
    }
}

#[test]
fn a_failed_checkout_leaves_nothing_behind() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, ".gitattributes", "*.bin filter=broken\n");
    world.commit(&repository, "data.bin", "data");
    world.git(&["config", "filter.broken.smudge", "false"], &repository);
    world.git(&["config", "filter.broken.required", "true"], &repository);
    let project = world.project(&repository);
    let row = world.made(&project, "Broken");
    let error = row.error.clone().unwrap();
    assert_eq!(error.code, "checkout_failed");
    assert!(error.message.contains("data.bin"), "{}", error.message);
    assert!(!row.path.exists());
    assert_eq!(world.worktrees(&repository).len(), 1);
    assert_eq!(world.branches(&repository), ["main"]);
    // Mended, it goes on from the recorded base.
    world.git(&["config", "filter.broken.smudge", "cat"], &repository);
    let row = world.retried(row.id);
    assert_eq!(row.status.to_string(), "ready");
    assert_eq!(row.branch, "worktree/broken");
}

#[test]
fn a_filter_program_that_is_not_installed_fails_the_checkout_with_its_name() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, ".gitattributes", "*.bin filter=lfs\n");
    world.commit(&repository, "data.bin", "pointer");
    world.git(&["config", "filter.lfs.process", "git-lfs-absent filter-process"], &repository);
    world.git(&["config", "filter.lfs.required", "true"], &repository);
    let row = world.made(&world.project(&repository), "Lfs");
    let error = row.error.unwrap();
    assert_eq!(error.code, "checkout_failed");
    assert!(error.message.contains("git-lfs-absent"), "{}", error.message);
    assert_eq!(world.branches(&repository), ["main"]);
}

#[test]
fn a_working_filter_is_applied() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, ".gitattributes", "*.up filter=up\n");
    world.commit(&repository, "text.up", "shout");
    world.git(&["config", "filter.up.smudge", "tr a-z A-Z"], &repository);
    let row = world.ready(&world.project(&repository), "Filtered");
    assert_eq!(fs::read_to_string(row.path.join("text.up")).unwrap(), "SHOUT");
}

#[test]
fn path_taken() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Taken");
    let stray = world.write(row.path.join("theirs.txt"), "theirs");
    let failed = world.materialize(row.id);
    assert_eq!(failed.error.unwrap().code, "path_taken");
    assert_eq!(world.branches(&project.path), ["main"]);
    let failed = world.retried(row.id);
    assert_eq!(failed.error.unwrap().code, "path_taken");
    assert_eq!(fs::read_to_string(&stray).unwrap(), "theirs");
    fs::remove_file(&stray).unwrap();
    assert_eq!(world.retried(row.id).status.to_string(), "ready");
}

#[test]
fn a_worktree_that_somebody_else_made_at_the_path_is_left_alone() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Mine");
    let path = row.path.to_str().unwrap();
    world.git(&["worktree", "add", "-q", "-b", "theirs", path], &project.path);
    world.write(row.path.join("README.md"), "changed");
    for failed in [world.materialize(row.id), world.retried(row.id)] {
        assert_eq!(failed.error.unwrap().code, "path_taken");
    }
    assert_eq!(fs::read_to_string(row.path.join("README.md")).unwrap(), "changed");
    assert_eq!(world.git(&["branch", "--show-current"], &row.path), "theirs");
}

#[test]
fn a_branch_taken_since_the_reservation_gets_the_next_suffix() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Taken");
    world.git(&["branch", "worktree/taken"], &project.path);
    world.commit(&project.path, "later.txt", "later");
    let theirs = world.git(&["rev-parse", "worktree/taken"], &project.path);
    let row = world.materialize(row.id);
    assert_eq!(row.branch, "worktree/taken-2");
    assert_eq!(row.storage_key, "taken");
    assert_eq!(world.git(&["rev-parse", "worktree/taken"], &project.path), theirs);
    assert!(world.events().contains(&"workspace.renamed".to_owned()));
}

#[test]
fn wrong_place() {
    let world = World::new();
    let repository = world.repository("proj");
    let other = world.repository("other");
    let project = world.project(&repository);
    // A git that adds the worktree to another repository.
    let script = format!(
        "case \"$*\" in *'worktree add'*) for last; do :; done; \
         git=$(PATH=${{PATH#*:}} command -v git); \
         cd '{}' && exec \"$git\" worktree add -q -b elsewhere -- \"$RIG_TEST_PATH\" ;; esac; \
         PATH=${{PATH#*:}} exec git \"$@\"",
        other.display()
    );
    let programs = world.program(
        "git",
        &script.replace("$RIG_TEST_PATH", world.workspaces().join("proj/wrong").to_str().unwrap()),
    );
    let path = world.path_with(&programs);
    let machine = world.machine_with(&[("PATH", &path)]);
    let row = world.reserve(&project, "Wrong");
    let row = world.materialize_on(&machine, row.id);
    assert_eq!(row.error.unwrap().code, "unexpected_repository");
}

#[test]
fn slow_checkout() {
    let world = World::new();
    let repository = world.repository("proj");
    hook(&world, &repository, "post-checkout", "sleep 0.3");
    let row = world.ready(&world.project(&repository), "Slow");
    assert!(row.path.join("README.md").exists());
}

#[test]
fn a_checkout_that_takes_too_long_is_ended_and_undone() {
    let world = World::new();
    let repository = world.repository("proj");
    hook(&world, &repository, "post-checkout", "sleep 600");
    world.write("proj/rig.toml", "[workspace]\ncheckout_timeout = \"300ms\"\n");
    let row = world.made(&world.project(&repository), "Slow");
    assert_eq!(row.error.unwrap().code, "checkout_timed_out");
    assert!(!row.path.exists());
    assert_eq!(world.branches(&repository), ["main"]);
    assert_eq!(world.worktrees(&repository).len(), 1);
}

#[test]
fn sparse_checkouts_stay_sparse() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, "in/a.txt", "a");
    world.commit(&repository, "out/b.txt", "b");
    world.git(&["sparse-checkout", "set", "in"], &repository);
    let project = world.project(&repository);
    let row = world.ready(&project, "Sparse");
    assert!(row.path.join("in/a.txt").exists());
    assert_eq!(world.git(&["status", "--porcelain"], &row.path), "");
    // A failed hook over a sparse checkout is still a complete one.
    hook(&world, &repository, "post-checkout", "exit 3");
    let row = world.made(&project, "Hooked");
    assert_eq!(row.error.unwrap().code, "hook_failed");
}

#[test]
fn worktree_configuration_and_relative_worktrees() {
    let world = World::new();
    let repository = world.repository("proj");
    world.git(&["config", "extensions.worktreeConfig", "true"], &repository);
    let project = world.project(&repository);
    world.ready(&project, "First");
    world.git(&["config", "core.repositoryFormatVersion", "1"], &repository);
    world.git(&["config", "extensions.relativeWorktrees", "true"], &repository);
    if !world.try_git(&["status"], &repository).status.success() {
        return; // This git does not know the extension, and refuses the repository itself.
    }
    let row = world.ready(&project, "Second");
    assert_eq!(world.git(&["branch", "--show-current"], &row.path), "worktree/second");
}

#[test]
fn a_file_monitor_with_too_long_a_path_is_no_hindrance() {
    let world = World::new();
    let long = format!("{}/{}", "l".repeat(100), "o".repeat(100));
    let repository = world.repository(&long);
    world.git(&["config", "core.fsmonitor", "true"], &repository);
    let row = world.ready(&world.project(&repository), "Monitored");
    assert!(row.path.join("README.md").exists());
}

#[test]
fn other_object_and_ref_formats() {
    let world = World::new();
    for (name, option) in
        [("sha256", "--object-format=sha256"), ("reftable", "--ref-format=reftable")]
    {
        if !world
            .try_git(&["init", "-q", option, &format!("try-{name}")], world.root())
            .status
            .success()
        {
            continue; // This git cannot make one.
        }
        let repository = world.repository_with(name, &[option]);
        let project = world.project(&repository);
        let row = world.ready(&project, "New");
        assert_eq!(world.git(&["branch", "--show-current"], &row.path), "worktree/new", "{name}");
        let renamed = world.renamed(row.id, "Newer");
        assert_eq!(world.git(&["branch", "--show-current"], &row.path), "worktree/newer", "{name}");
        assert_eq!(renamed.actual_branch, None);
        world.write(row.path.join("work.txt"), "work");
        let cleaned = world.archived(row.id);
        assert_eq!(cleaned.kept, None, "{name}");
        assert!(cleaned.workspace.saved.is_some(), "{name}");
        assert!(!row.path.exists(), "{name}");
    }
}

#[test]
fn paths_of_any_bytes() {
    let world = World::new();
    let name = OsStr::from_bytes(b"sp ace\xff\n'quote");
    let repository = world.repository(name);
    let project = world.project(&repository);
    assert_eq!(*project.path, *repository);
    let row = world.ready(&project, "New");
    assert_eq!(world.git(&["branch", "--show-current"], &row.path), "worktree/new");
    assert_eq!(world.archived(row.id).kept, None);
    assert!(!row.path.exists());
}

#[test]
fn a_linked_worktree_as_the_project() {
    let world = World::new();
    let repository = world.repository("main repo");
    let linked = world.root().join("linked");
    world.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()], &repository);
    let project = world.project(&linked);
    assert_eq!(*project.path, *linked);
    let row = world.ready(&project, "New");
    assert_eq!(row.common_dir.as_ref() as &Path, repository.join(".git"));
    assert_eq!(world.branches(&repository), ["main", "side", "worktree/new"]);
    assert_eq!(world.archived(row.id).kept, None);
}

#[test]
fn submodules_do_not_hinder() {
    let world = World::new();
    let library = world.repository("library");
    let repository = world.repository("proj");
    world.git(&["submodule", "--quiet", "add", library.to_str().unwrap(), "lib"], &repository);
    world.git(&["commit", "-q", "-m", "submodule"], &repository);
    let row = world.ready(&world.project(&repository), "New");
    assert!(row.path.join("lib").is_dir());
    // A submodule's top level is a project of its own.
    let inner = world.project(&repository.join("lib"));
    assert_eq!(*inner.path, *repository.join("lib"));
}

#[test]
fn folders_that_cannot_have_workspaces_say_why() {
    let world = World::new();
    let bare = world.root().join("bare.git");
    world.git(&["init", "-q", "--bare", bare.to_str().unwrap()], world.root());
    let unborn = world.unborn("unborn", &[]);
    let repository = world.repository("proj");
    let nested = world.write("proj/deep/file", "").parent().unwrap().to_owned();
    let plain = world.write("plain/file", "").parent().unwrap().to_owned();
    let accident = world.repository("accident");
    world.git(&["config", "core.bare", "true"], &accident);
    let refused = |path: &Path| {
        let project = world.project(path);
        world.try_reserve(named(project.id, "Any")).unwrap_err()
    };
    for path in [&bare, &nested, &plain, &accident] {
        let error = refused(path);
        assert_eq!(error.to_string(), "Managed workspaces require a Git repository project.");
        assert_eq!(error.code(), "not_a_git_project");
    }
    assert_eq!(refused(&unborn).code(), "no_commits");
    match refused(&accident) {
        Error::NotAGitProject { found } => assert!(found.contains("core.bare"), "{found}"),
        other => panic!("{other}"),
    }
    world.ready(&world.project(&repository), "Fine");
}

#[test]
fn failed_then_retried() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(
        &repository,
        "rig.toml",
        "[workspace]\nsetup_commands = [\"echo one >> log\", \"exit 7\"]\n",
    );
    let project = world.project(&repository);
    let row = world.made(&project, "Setup");
    let error = row.error.clone().unwrap();
    assert_eq!(error.code, "setup_failed");
    assert!(error.message.contains('2') && error.message.contains('7'), "{}", error.message);
    world.write(row.path.join("mine.txt"), "mine");
    world.write(
        row.path.join("rig.toml"),
        "[workspace]\nsetup_commands = [\"echo one >> log\", \"true\"]\n",
    );
    let row = world.retried(row.id);
    assert_eq!(row.status.to_string(), "ready");
    assert_eq!(fs::read_to_string(row.path.join("log")).unwrap(), "one\none\n");
    assert_eq!(fs::read_to_string(row.path.join("mine.txt")).unwrap(), "mine");
    assert!(steps(&row).contains(&"setup 2 done".to_owned()), "{:?}", steps(&row));
}

#[test]
fn a_configuration_that_cannot_be_read_in_the_workspace_fails_its_setup() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, "rig.toml", "[workspace]\nsetup_command = []\n");
    let project = world.project(&repository);
    assert_eq!(world.try_reserve(named(project.id, "Any")).unwrap_err().code(), "bad_config");
    world.write("proj/rig.toml", "");
    let row = world.made(&project, "Any");
    assert_eq!(row.error.unwrap().code, "bad_config");
    world.write(row.path.join("rig.toml"), "");
    assert_eq!(world.retried(row.id).status.to_string(), "ready");
}

#[test]
fn sync_and_setup_are_steps_of_the_making() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, ".gitignore", ".env\n");
    world.write("proj/.env", "SECRET=1\n");
    world.write("proj/rig.toml", "[workspace]\nsync = [\".env\", \"absent\"]\n");
    let row = world.ready(&world.project(&repository), "Synced");
    assert_eq!(fs::read_to_string(row.path.join(".env")).unwrap(), "SECRET=1\n");
    assert!(steps(&row).contains(&"sync done".to_owned()), "{:?}", steps(&row));
}

#[test]
fn sparse_patterns_of_another_worktree_do_not_spread() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, "in/a.txt", "a");
    world.commit(&repository, "out/b.txt", "b");
    let project = world.project(&repository);
    let sparse = world.ready(&project, "Sparse");
    world.git(&["sparse-checkout", "set", "in"], &sparse.path);
    assert!(!sparse.path.join("out/b.txt").exists());
    let whole = world.ready(&project, "Whole");
    assert!(whole.path.join("out/b.txt").exists());
    assert_eq!(world.git(&["status", "--porcelain"], &whole.path), "");
}
