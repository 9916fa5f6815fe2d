//! What an archive would lose.

use std::fs;
use std::os::unix::fs::symlink;

use rig_core::path::RawPath;

use crate::archive_world::{Desk, write};
use crate::world::TestResult;

fn paths(names: &[&str]) -> Vec<RawPath> {
    names.iter().map(|name| RawPath::from(*name)).collect()
}

#[test]
fn a_fresh_workspace_has_nothing_to_lose() {
    let desk = Desk::cloned();
    let made = desk.workspace("Task");
    assert_eq!(desk.lost(&made), rig_git::archive::Lost::default());
}

#[test]
fn dirty_counts_staged_unstaged_and_untracked_files_once_each() {
    let desk = Desk::new();
    for file in ["both", "staged", "unstaged", "removed"] {
        desk.commit(file, "one");
    }
    let made = desk.workspace("Task");
    for file in ["both", "staged", "unstaged", "folder/untracked"] {
        write(made.path.join(file), "two");
    }
    desk.git(&["add", "both", "staged"], &made.path);
    write(made.path.join("both"), "three");
    desk.git(&["rm", "-q", "removed"], &made.path);
    let dirty = desk.lost(&made).dirty;
    assert_eq!(dirty.count, 5);
    let expected = ["both", "folder/untracked", "removed", "staged", "unstaged"];
    assert_eq!(dirty.paths, paths(&expected));
}

#[test]
fn a_list_shows_the_first_fifty_and_counts_them_all() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    for number in 0..60 {
        write(made.path.join(format!("file-{number:02}")), "text");
    }
    let dirty = desk.lost(&made).dirty;
    assert_eq!((dirty.count, dirty.paths.len()), (60, 50));
    assert_eq!(dirty.paths.last(), Some(&RawPath::from("file-49")));
}

#[test]
fn unpushed_are_commits_that_neither_the_base_nor_a_remote_has() {
    let desk = Desk::cloned();
    let made = desk.workspace("Task");
    desk.world.commit(&made.path, "one", "one");
    desk.git(&["push", "-q", "origin", "HEAD"], &made.path);
    desk.world.commit(&made.path, "two", "two");
    desk.world.commit(&made.path, "three", "three");
    assert_eq!(desk.lost(&made).unpushed, 2);
}

#[test]
fn commits_of_the_base_are_not_the_workspaces_own() {
    let desk = Desk::new();
    desk.commit("one", "one");
    let made = desk.workspace("Task");
    assert_eq!(desk.lost(&made).unpushed, 0);
    desk.world.commit(&made.path, "two", "two");
    assert_eq!(desk.lost(&made).unpushed, 1);
}

#[test]
fn ignored_folders_are_collapsed_and_measured_without_following_links() -> TestResult {
    let desk = Desk::new();
    desk.commit(".gitignore", "node_modules/\n*.log\n");
    let made = desk.workspace("Task");
    write(made.path.join("node_modules/a/b/c.js"), "12345");
    write(made.path.join("node_modules/d.js"), "123");
    write(made.path.join("src/x.log"), "12");
    write(desk.world.root().join("elsewhere/big"), [0; 4096]);
    symlink(desk.world.root().join("elsewhere"), made.path.join("node_modules/link"))?;
    let link = fs::symlink_metadata(made.path.join("node_modules/link"))?.len();
    let ignored = desk.lost(&made).ignored;
    assert_eq!((ignored.count, ignored.bytes), (2, 10 + link));
    assert_eq!(ignored.paths, paths(&["node_modules/", "src/x.log"]));
    assert!(!ignored.at_least);
    Ok(())
}

#[test]
fn counting_ignored_files_is_bounded() {
    let desk = Desk::new();
    desk.commit(".gitignore", "many/\n");
    let made = desk.workspace("Task");
    fs::create_dir(made.path.join("many")).unwrap();
    for number in 0..20_050 {
        fs::File::create(made.path.join(format!("many/{number}"))).unwrap();
    }
    let ignored = desk.lost(&made).ignored;
    assert_eq!(ignored.count, 1);
    assert!(ignored.at_least);
}

#[test]
fn unchanged_sync_copies_are_left_out() {
    let desk = Desk::new();
    desk.commit(".gitignore", ".env\nconf/\nown\n");
    desk.commit("rig.toml", "[workspace]\nsync = [\".env\", \"conf\"]\n");
    write(desk.root.join(".env"), "secret");
    write(desk.root.join("conf/a"), "a");
    let made = desk.workspace("Task");
    assert!(made.path.join(".env").is_file() && made.path.join("conf/a").is_file());
    write(made.path.join("own"), "123");
    let ignored = desk.lost(&made).ignored;
    assert_eq!((ignored.count, ignored.bytes), (1, 3));
    assert_eq!(ignored.paths, paths(&["own"]));

    write(made.path.join(".env"), "changed!");
    let ignored = desk.lost(&made).ignored;
    assert_eq!(ignored.paths, paths(&[".env", "own"]));
}

#[test]
fn nested_repositories_count_if_they_hold_something_of_their_own() {
    let desk = Desk::new();
    desk.commit(".gitignore", "ignored/\n");
    let made = desk.workspace("Task");
    let upstream = desk.world.repository("upstream");
    for (folder, dirty) in [("clean", false), ("dirty", true), ("ignored/deep", true)] {
        let nested = made.path.join(folder);
        desk.world.clone_of(&upstream, &nested);
        if dirty {
            write(nested.join("new"), "text");
        }
    }
    let lost = desk.lost(&made);
    assert_eq!(lost.nested, paths(&["dirty", "ignored/deep"]));
    assert_eq!(lost.dirty.count, 0);
}

#[test]
fn submodules_count_if_they_hold_something_of_their_own() {
    let desk = Desk::new();
    let inner = desk.world.repository("inner");
    for name in ["changed", "commits", "clean", "recorded"] {
        let path = inner.to_str().unwrap();
        desk.git(&["submodule", "--quiet", "add", path, name], &desk.root);
    }
    desk.git(&["commit", "-qm", "submodules"], &desk.root);
    let made = desk.workspace("Task");
    desk.git(&["submodule", "--quiet", "update", "--init"], &made.path);
    assert!(desk.lost(&made).submodules.is_empty());
    write(made.path.join("changed/new"), "text");
    desk.world.commit(&made.path.join("commits"), "new", "text");
    // The workspace's branch has its name, and nobody else has the commit itself.
    desk.world.commit(&made.path.join("recorded"), "new", "text");
    desk.git(&["commit", "-qm", "moved", "recorded"], &made.path);
    let lost = desk.lost(&made);
    assert_eq!(lost.submodules, paths(&["changed", "commits", "recorded"]));
}

#[test]
fn a_folder_that_is_not_the_workspaces_own_has_nothing_of_it_to_lose() -> TestResult {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    fs::remove_dir_all(&made.path)?;
    desk.world.clone_of(&desk.root, &made.path);
    write(made.path.join("theirs"), "text");
    assert_eq!(desk.lost(&made), rig_git::archive::Lost::default());
    Ok(())
}
