//! Saving the work of an archived workspace, whatever is configured.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::archive_world::{Desk, exists, read, write};

#[test]
fn what_sparse_patterns_leave_out_is_not_recorded_as_deleted() {
    let desk = Desk::new();
    for file in ["in/file", "out/file", "out/other"] {
        desk.commit(file, file);
    }
    let made = desk.workspace("Task");
    desk.git(&["sparse-checkout", "set", "--cone", "in"], &made.path);
    assert!(!exists(made.path.join("out")));
    write(made.path.join("in/file"), "changed");
    write(made.path.join("out/new"), "outside of the patterns");

    let cleaned = desk.archive(&made);
    let saved = cleaned.workspace.saved.clone().unwrap();
    let changes = ["diff", "--name-status", &format!("{0}^..{0}", saved.commit)];
    assert_eq!(desk.git(&changes, &desk.root), "M\tin/file\nA\tout/new");
    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(desk.status(&restored), [" M in/file", "?? out/new"]);
}

#[test]
fn files_that_git_was_told_not_to_look_at_are_saved() {
    let desk = Desk::new();
    desk.commit("assumed", "one");
    desk.commit("skipped", "one");
    let made = desk.workspace("Task");
    desk.git(&["update-index", "--assume-unchanged", "assumed"], &made.path);
    desk.git(&["update-index", "--skip-worktree", "skipped"], &made.path);
    write(made.path.join("assumed"), "two");
    write(made.path.join("skipped"), "two");
    assert_eq!(desk.lost(&made).dirty.count, 2);
    let cleaned = desk.archive(&made);
    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(desk.status(&restored), [" M assumed", " M skipped"]);
}

#[test]
fn saving_runs_filters_and_no_hooks_and_signs_nothing() {
    let desk = Desk::new();
    desk.commit(".gitattributes", "*.up filter=case\n");
    for (key, value) in [
        ("filter.case.clean", "tr a-z A-Z"),
        ("filter.case.smudge", "tr A-Z a-z"),
        ("filter.case.required", "true"),
        ("commit.gpgSign", "true"),
        ("gpg.program", "false"),
        ("core.fsmonitor", "true"),
    ] {
        desk.git(&["config", key, value], &desk.root);
    }
    let made = desk.workspace("Task");
    let ran = desk.world.root().join("hook-ran");
    for hook in ["reference-transaction", "post-index-change", "pre-commit", "post-commit"] {
        let hook = desk.root.join(".git/hooks").join(hook);
        write(&hook, format!("#!/bin/sh\necho $0 >>'{}'\n", ran.display()));
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    write(made.path.join("new.up"), "text");

    let cleaned = desk.archive(&made);
    let saved = cleaned.workspace.saved.clone().unwrap();
    assert_eq!(desk.git(&["show", &format!("{}:new.up", saved.commit)], &desk.root), "TEXT");
    assert!(!exists(&ran), "{}", read(&ran));
    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(read(restored.path.join("new.up")), "text");
}

#[test]
fn no_configured_identity_is_needed_and_a_locked_index_is_in_nobodys_way() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    fs::write(desk.world.home().join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").unwrap();
    let git_dir = desk.git(&["rev-parse", "--git-dir"], &made.path);
    fs::write(std::path::Path::new(&git_dir).join("index.lock"), "").unwrap();
    write(made.path.join("new"), "text");
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept, None);
    let saved = cleaned.workspace.saved.unwrap();
    assert_eq!(desk.git(&["show", &format!("{}:new", saved.commit)], &desk.root), "text");
}

#[test]
fn configuration_hides_nothing_from_being_saved() {
    let desk = Desk::new();
    desk.commit("file", "one");
    for (key, value) in [
        ("status.showUntrackedFiles", "no"),
        ("status.renames", "copies"),
        ("diff.ignoreSubmodules", "all"),
        ("core.splitIndex", "true"),
        ("core.untrackedCache", "true"),
        ("core.autocrlf", "input"),
        ("core.safecrlf", "true"),
        ("color.ui", "always"),
    ] {
        desk.git(&["config", key, value], &desk.root);
    }
    let made = desk.workspace("Task");
    desk.git(&["update-index", "--split-index"], &made.path);
    write(made.path.join("file"), "two\r\n");
    write(made.path.join("new"), "text");
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept, None);
    let saved = cleaned.workspace.saved.unwrap();
    let changes = ["diff", "--no-color", "--name-status", &format!("{0}^..{0}", saved.commit)];
    assert_eq!(desk.git(&changes, &desk.root), "M\tfile\nA\tnew");
}
