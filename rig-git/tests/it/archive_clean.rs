//! Removing the folder of an archived workspace, and nothing else.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

use rig_core::workspace::Workspace;

use crate::archive_world::{Desk, exists, read, write};
use crate::world::TestResult;

#[test]
fn folder_and_entry_go_and_the_branch_stays() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    let other = desk.workspace("Other");
    let cleaned = desk.archive(&made);
    assert_eq!((cleaned.kept, cleaned.branch_kept), (None, None));
    assert!(!exists(&made.path));
    assert_eq!(desk.entries(), [other.path.to_str().unwrap()]);
    let branch = ["rev-parse", "--verify", "--quiet", "refs/heads/worktree/task"];
    assert_eq!(Some(desk.git(&branch, &desk.root)), made.base.commit);
}

#[test]
fn folder_missing() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    fs::remove_dir_all(&made.path)?;
    assert_eq!(desk.entries().len(), 1);
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept, None);
    assert!(desk.entries().is_empty());
    Ok(())
}

#[test]
fn the_entries_of_other_missing_worktrees_stay() -> TestResult {
    let desk = Desk::new();
    let away = desk.world.root().join("away");
    let args = ["worktree", "add", "-q", away.to_str().unwrap()];
    desk.git(&args, &desk.root);
    fs::rename(&away, desk.world.root().join("unplugged"))?;
    let made = desk.workspace("Task");
    fs::remove_dir_all(&made.path)?;
    desk.archive(&made);
    assert_eq!(desk.entries(), [away.to_str().unwrap()]);
    Ok(())
}

#[test]
fn a_workspace_that_was_never_begun_is_archived() {
    let desk = Desk::new();
    let reserved = desk.reserve("Task");
    write(reserved.path.join("theirs"), "text");
    let cleaned = desk.archive(&reserved);
    assert_eq!(cleaned.kept, None);
    assert_eq!(read(reserved.path.join("theirs")), "text");
}

#[test]
fn a_link_inside_goes_and_its_target_stays() -> TestResult {
    let desk = Desk::new();
    desk.commit(".gitignore", "node_modules\n");
    write(desk.root.join("node_modules/left-pad/index.js"), "module");
    let made = desk.workspace("Task");
    symlink(desk.root.join("node_modules"), made.path.join("node_modules"))?;
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept, None);
    assert!(!exists(&made.path));
    assert_eq!(read(desk.root.join("node_modules/left-pad/index.js")), "module");
    Ok(())
}

#[test]
fn a_locked_worktree_with_submodules_goes_too() {
    let desk = Desk::new();
    let inner = desk.world.repository("inner");
    desk.git(&["submodule", "--quiet", "add", inner.to_str().unwrap(), "sub"], &desk.root);
    desk.git(&["commit", "-qm", "submodule"], &desk.root);
    let made = desk.workspace("Task");
    desk.git(&["submodule", "--quiet", "update", "--init"], &made.path);
    desk.git(&["worktree", "lock", made.path.to_str().unwrap()], &desk.root);
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept, None);
    assert!(!exists(&made.path) && desk.entries().is_empty());
}

#[test]
fn another_clone_on_the_path_is_never_touched() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    fs::rename(&made.path, desk.world.root().join("moved-away"))?;
    desk.world.clone_of(&desk.root, &made.path);
    write(made.path.join("theirs"), "text");
    let before = snapshot(&made.path);
    let cleaned = desk.archive(&made);
    assert!(cleaned.kept.unwrap().contains("repository of its own"));
    assert_eq!(cleaned.workspace.saved, None);
    assert_eq!(snapshot(&made.path), before);
    Ok(())
}

#[test]
fn a_worktree_that_was_moved_to_the_path_is_never_touched() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    let theirs = desk.world.root().join("theirs");
    desk.git(&["worktree", "add", "-q", theirs.to_str().unwrap()], &desk.root);
    write(theirs.join("work"), "text");
    fs::remove_dir_all(&made.path)?;
    fs::rename(&theirs, &made.path)?;
    let before = snapshot(&made.path);
    let cleaned = desk.archive(&made);
    assert!(cleaned.kept.unwrap().contains("name each other"));
    assert_eq!(cleaned.workspace.saved, None);
    assert_eq!(snapshot(&made.path), before);
    assert_eq!(desk.entries().len(), 2);
    Ok(())
}

#[test]
fn a_folder_that_nothing_proves_to_be_ours_is_kept() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    fs::remove_file(made.path.join(".git"))?;
    let cleaned = desk.archive(&made);
    assert!(cleaned.kept.unwrap().contains("no .git"));
    assert!(exists(made.path.join("README.md")));
    Ok(())
}

#[test]
fn an_empty_folder_that_was_left_goes_with_its_entry() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    fs::remove_dir_all(&made.path)?;
    fs::create_dir(&made.path)?;
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept, None);
    assert!(!exists(&made.path) && desk.entries().is_empty());
    Ok(())
}

#[test]
fn a_removal_that_was_interrupted_is_ended() -> TestResult {
    for entry_is_gone in [false, true] {
        let desk = Desk::new();
        let made = desk.workspace("Task");
        // What a removal leaves that was killed: its note, part of the files, and no `.git`.
        let note = note_removal(&desk, &made);
        let git_dir = desk.git(&["rev-parse", "--git-dir"], &made.path);
        fs::remove_file(made.path.join(".git"))?;
        if entry_is_gone {
            fs::remove_dir_all(git_dir)?;
        }
        let cleaned = desk.archive(&made);
        assert_eq!(cleaned.kept, None);
        assert!(!exists(&made.path) && desk.entries().is_empty());
        assert!(!exists(&note));
    }
    Ok(())
}

#[test]
fn what_a_removal_deleted_is_not_saved_as_deletions() -> TestResult {
    let desk = Desk::new();
    desk.commit("file", "text");
    let made = desk.workspace("Task");
    note_removal(&desk, &made);
    fs::remove_file(made.path.join("file"))?;
    assert_eq!(desk.lost(&made).dirty.count, 0);
    let cleaned = desk.archive(&made);
    assert_eq!((cleaned.kept, cleaned.workspace.saved), (None, None));
    assert!(!exists(&made.path) && desk.entries().is_empty());
    Ok(())
}

/// A git that was started by a `rig` that was killed holds the turn until it is done.
#[test]
fn a_removal_that_still_goes_on_is_waited_for() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    write(made.path.join("file"), "text");
    note_removal(&desk, &made);
    let common = desk.root.join(".git");
    let other = rig_git::turns::Locks::default();
    let turn = other.worktrees(&common, &rig_core::cancel::Cancel::new())?;
    let cleaned = std::thread::scope(|scope| {
        let cleaned = scope.spawn(|| desk.archive(&made));
        desk.git(&["worktree", "remove", "--force", made.path.to_str().unwrap()], &desk.root);
        drop(turn);
        cleaned.join().unwrap()
    });
    assert_eq!((cleaned.kept, cleaned.workspace.saved), (None, None));
    assert!(!exists(&made.path) && desk.entries().is_empty());
    Ok(())
}

#[test]
fn the_note_of_an_interrupted_removal_does_not_speak_for_another_folder() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    note_removal(&desk, &made);
    fs::rename(&made.path, desk.world.root().join("away"))?;
    write(made.path.join("theirs"), "text");
    let cleaned = desk.archive(&made);
    assert!(cleaned.kept.is_some());
    assert_eq!(read(made.path.join("theirs")), "text");
    Ok(())
}

#[test]
fn a_path_whose_parent_became_a_link_is_kept() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    let parent = made.path.parent().unwrap();
    let elsewhere = desk.world.root().join("elsewhere");
    fs::rename(parent, &elsewhere)?;
    symlink(&elsewhere, parent)?;
    let cleaned = desk.archive(&made);
    assert!(cleaned.kept.unwrap().contains("link"));
    assert!(exists(elsewhere.join("task/README.md")));
    Ok(())
}

#[test]
fn a_link_in_the_place_of_the_folder_is_kept() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    let elsewhere = desk.world.root().join("elsewhere");
    fs::rename(&made.path, &elsewhere)?;
    symlink(&elsewhere, &made.path)?;
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept.as_deref(), Some("it is not a folder"));
    assert!(exists(&made.path) && exists(elsewhere.join("README.md")));
    Ok(())
}

#[test]
fn the_folder_is_kept_if_the_project_is_gone_and_its_repository_is_not() -> TestResult {
    let desk = Desk::on(|world| {
        let main = world.repository("main");
        let project = world.root().join("project");
        world.git(&["worktree", "add", "-q", project.to_str().unwrap()], &main);
        project
    });
    let made = desk.workspace("Task");
    fs::rename(&desk.root, desk.world.root().join("away"))?;
    let cleaned = desk.archive(&made);
    assert!(cleaned.kept.unwrap().contains("is gone, and its repository is there"));
    assert!(exists(made.path.join("README.md")));
    Ok(())
}

#[test]
fn the_folder_is_kept_if_the_project_is_another_repository_now() -> TestResult {
    let desk = Desk::on(|world| {
        let main = world.repository("main");
        let project = world.root().join("project");
        world.git(&["worktree", "add", "-q", project.to_str().unwrap()], &main);
        project
    });
    let made = desk.workspace("Task");
    fs::remove_dir_all(&desk.root)?;
    desk.world.repository("project");
    let cleaned = desk.archive(&made);
    assert!(cleaned.kept.unwrap().contains("not the recorded"));
    assert!(exists(made.path.join("README.md")));
    Ok(())
}

#[test]
fn the_tree_goes_if_project_and_repository_are_both_gone() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    write(made.path.join("untracked"), "text");
    fs::remove_dir_all(&desk.root)?;
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept, None);
    assert!(!exists(&made.path));
    Ok(())
}

#[test]
fn another_folder_stays_though_project_and_repository_are_both_gone() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    fs::remove_dir_all(&made.path)?;
    write(made.path.join("theirs"), "text");
    fs::remove_dir_all(&desk.root)?;
    let cleaned = desk.archive(&made);
    assert!(cleaned.kept.is_some());
    assert_eq!(read(made.path.join("theirs")), "text");
    Ok(())
}

/// Nobody but root can be stopped by the permissions of the folder above; for root a file is made
/// immutable, where the file system has such.
#[test]
fn undeletable() -> TestResult {
    let desk = Desk::new();
    desk.commit("stuck/file", "text");
    let made = desk.workspace("Task");
    let stuck = made.path.join("stuck/file");
    let above = made.path.parent().unwrap();
    let is_root = rustix::process::geteuid().is_root();
    let immutable = |flag: &str| {
        let chattr = Command::new("chattr").arg(flag).arg(&stuck).output();
        chattr.is_ok_and(|output| output.status.success())
    };
    if !is_root {
        fs::set_permissions(above, fs::Permissions::from_mode(0o500))?;
    } else if !immutable("+i") {
        // This file system can stop nobody who is root.
        return Ok(());
    }
    let cleaned = desk.archive(&made);
    if is_root {
        assert!(exists(&stuck));
        immutable("-i");
    }
    fs::set_permissions(above, fs::Permissions::from_mode(0o700))?;
    let kept = cleaned.kept.unwrap();
    assert!(kept.contains(made.path.to_str().unwrap()), "{kept}");
    assert!(exists(&made.path));

    // Whoever cleans up later can tell whose the rest is.
    let note = desk.world.state().join("removing").join(made.id.to_string());
    assert_eq!(read(note), identity(&made));
    Ok(())
}

/// What a removal writes before it deletes anything.
fn note_removal(desk: &Desk, made: &Workspace) -> PathBuf {
    let note = desk.world.state().join("removing").join(made.id.to_string());
    write(&note, identity(made));
    note
}

fn identity(made: &Workspace) -> String {
    let folder = fs::metadata(&made.path).unwrap();
    let born = folder.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
    format!("{} {} {}\n", folder.dev(), folder.ino(), born.map_or(0, |born| born.as_nanos()))
}

/// All that is in a folder, with when it was written.
fn snapshot(folder: &Path) -> Vec<String> {
    let list = Command::new("find")
        .arg(folder)
        .args(["-printf", "%p %y %s %T@\n"])
        .output()
        .expect("find is there");
    let mut lines: Vec<_> =
        String::from_utf8_lossy(&list.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}
