//! One pass of sync, on real folders.

use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::os::unix::net::UnixListener;

use rig_core::cancel::Cancel;
use rig_git::Error;
use rig_git::sync::pass;

use crate::sync_folders::{Folders, at, set_mode, told, write};

#[test]
fn a_sync_path_that_leaves_the_project_copies_nothing_at_all() {
    for path in ["../x", "/x", "~/x", "a\\b", "a/../b"] {
        let folders = Folders::syncing(&[".env", path]);
        folders.in_root(".env", "A=1");
        let Folders { config, root, workspace, .. } = &folders;
        let error = pass(config, root, workspace, false, &Cancel::new()).unwrap_err();
        assert_eq!(error.code(), "sync_path_invalid", "{path}");
        assert!(error.to_string().contains(&format!("{path:?} must stay inside the project")));
        assert_eq!(folders.names(), [".git"]);
    }
}

#[test]
fn files_and_folders_go_to_the_same_place() {
    let folders = Folders::syncing(&["config/local", ".env", "absent"]);
    set_mode(&folders.in_root(".env", "A=1"), 0o640);
    folders.in_root("config/local/a", "a");
    folders.in_root("config/local/deep/b", "b");
    folders.in_root("config/other", "not asked for");
    set_mode(&folders.root.join("config/local/deep"), 0o710);
    set_mode(&folders.root.join("config"), 0o750);
    assert_eq!(
        told(&folders.pass()),
        [
            "copied config/local/a",
            "copied config/local/deep/b",
            "copied .env",
            "skipped absent: the project does not have it",
        ]
    );
    assert_eq!(folders.read(".env"), "A=1");
    assert_eq!(folders.read("config/local/deep/b"), "b");
    assert_eq!(folders.mode(".env"), 0o640);
    assert_eq!((folders.mode("config"), folders.mode("config/local/deep")), (0o750, 0o710));
    assert_eq!(
        folders.names(),
        [
            ".env",
            ".git",
            "config",
            "config/local",
            "config/local/a",
            "config/local/deep",
            "config/local/deep/b"
        ]
    );
}

#[test]
fn a_copy_of_the_same_size_time_and_mode_is_left() {
    let folders = Folders::syncing(&[".env"]);
    let source = folders.in_root(".env", "A=1");
    at(&source, 1_000_000);
    assert_eq!(told(&folders.pass()), ["copied .env"]);
    let inode = || fs::metadata(folders.workspace.join(".env")).unwrap().ino();
    let first = inode();
    assert_eq!(told(&folders.pass()), ["unchanged .env"]);
    assert_eq!(inode(), first);

    // Any of the three makes another copy, and the root's always wins.
    at(&source, 1_000_001);
    assert_eq!(told(&folders.pass()), ["copied .env"]);
    set_mode(&source, 0o600);
    assert_eq!(told(&folders.pass()), ["copied .env"]);
    assert_eq!(folders.mode(".env"), 0o600);
    folders.in_workspace(".env", "A=agent");
    assert_eq!(told(&folders.pass()), ["copied .env"]);
    assert_eq!(folders.read(".env"), "A=1");
    assert_eq!(told(&folders.pass()), ["unchanged .env"]);
}

#[test]
fn an_open_reader_keeps_the_whole_old_file() {
    let folders = Folders::syncing(&[".env"]);
    folders.in_root(".env", "new");
    let old = folders.in_workspace(".env", "old content");
    let reader = File::open(&old).unwrap();
    folders.pass();
    assert_eq!(std::io::read_to_string(reader).unwrap(), "old content");
    assert_eq!(folders.read(".env"), "new");
}

#[test]
fn what_a_killed_pass_left_is_taken_away() {
    let folders = Folders::syncing(&[".env"]);
    let source = folders.in_root(".env", "A=1");
    folders.pass();
    // The name that a copy is made under, as a killed pass leaves it: a prefix and part of the digest
    // of the file's name.
    let left = folders.in_workspace(".rig-sync-e9cbb0224c4a3d23", "half");
    at(&source, 5);
    folders.pass();
    assert!(!left.exists(), "{:?}", folders.names());
    assert_eq!(folders.names(), [".env", ".git"]);
}

#[test]
fn links_in_the_root_are_followed_and_their_contents_copied() {
    let folders = Folders::syncing(&["link", "folder", "through/inner", "dangling"]);
    let outside = folders.top.path().join("outside");
    write(&outside.join("inner"), "inner");
    let elsewhere = write(&folders.top.path().join("elsewhere"), "elsewhere");
    symlink(&elsewhere, folders.root.join("link")).unwrap();
    symlink(&outside, folders.root.join("folder")).unwrap();
    symlink(&outside, folders.root.join("through")).unwrap();
    symlink("nowhere", folders.root.join("dangling")).unwrap();
    assert_eq!(
        told(&folders.pass()),
        [
            "copied link",
            "copied folder/inner",
            "copied through/inner",
            "skipped dangling: its link leads nowhere",
        ]
    );
    for path in ["link", "folder/inner", "through/inner"] {
        assert!(fs::symlink_metadata(folders.workspace.join(path)).unwrap().is_file(), "{path}");
    }
    assert_eq!(folders.read("link"), "elsewhere");
}

#[test]
fn loops_sockets_and_fifos_are_skipped() {
    let folders = Folders::syncing(&["a", "self", "dot", "dev"]);
    folders.in_root("a/file", "file");
    symlink("..", folders.root.join("a/up")).unwrap();
    symlink(".", folders.root.join("a/here")).unwrap();
    symlink("self", folders.root.join("self")).unwrap();
    symlink(".", folders.root.join("dot")).unwrap();
    symlink("/dev/null", folders.root.join("dev")).unwrap();
    let _socket = UnixListener::bind(folders.root.join("a/socket")).unwrap();
    let fifo = folders.root.join("a/fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success() && fs::metadata(&fifo).unwrap().file_type().is_fifo());
    assert_eq!(
        told(&folders.pass()),
        [
            "skipped a/fifo: it is neither a file nor a folder",
            "copied a/file",
            "skipped a/here: its links form a loop",
            "skipped a/socket: it is neither a file nor a folder",
            "skipped a/up: its links form a loop",
            "skipped self: its links form a loop",
            "skipped dot: its links form a loop",
            "skipped dev: it is neither a file nor a folder",
        ]
    );
    assert_eq!(folders.names(), [".git", "a", "a/file"]);
}

#[test]
fn a_link_to_the_workspace_does_not_copy_it_into_itself() {
    let folders = Folders::syncing(&["all", "deep/part"]);
    folders.in_workspace("work/file", "work");
    symlink(&folders.workspace, folders.root.join("all")).unwrap();
    fs::create_dir(folders.root.join("deep")).unwrap();
    symlink(folders.top.path(), folders.root.join("deep/part")).unwrap();
    let told = told(&folders.pass());
    assert!(told.contains(&"skipped all: its links form a loop".to_owned()), "{told:?}");
    let part = "skipped deep/part/workspace: its links form a loop".to_owned();
    assert!(told.contains(&part), "{told:?}");
}

#[test]
fn another_kind_is_replaced_and_no_link_is_written_through() {
    let folders = Folders::syncing(&["link", "file", "folder", "fifo", "nest"]);
    let kept = write(&folders.top.path().join("kept"), "kept");
    let kept_folder = folders.top.path().join("kept-folder");
    write(&kept_folder.join("inside"), "inside");
    for path in ["link", "file", "fifo", "folder/x", "nest/sub/x"] {
        folders.in_root(path, "root");
    }
    symlink(&kept, folders.workspace.join("link")).unwrap();
    folders.in_workspace("file/deep/work", "work");
    symlink(&kept_folder, folders.workspace.join("file/link")).unwrap();
    set_mode(&folders.workspace.join("file/deep"), 0o500);
    folders.in_workspace("folder", "a file");
    let fifo = folders.workspace.join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    fs::create_dir(folders.workspace.join("nest")).unwrap();
    symlink(&kept_folder, folders.workspace.join("nest/sub")).unwrap();
    assert_eq!(
        told(&folders.pass()),
        ["copied link", "copied file", "copied folder/x", "copied fifo", "copied nest/sub/x"]
    );
    for path in ["link", "file", "folder/x", "fifo", "nest/sub/x"] {
        assert!(fs::symlink_metadata(folders.workspace.join(path)).unwrap().is_file(), "{path}");
        assert_eq!(folders.read(path), "root");
    }
    assert_eq!(fs::read_to_string(&kept).unwrap(), "kept");
    assert_eq!(fs::read_dir(&kept_folder).unwrap().count(), 1);
}

#[test]
fn a_parent_that_is_a_file_or_leads_out_skips_the_path() {
    let folders =
        Folders::syncing(&["file/x", "out/x", "up/x", "far/new/x", "round/x", "inside/x", "last"]);
    for path in ["file/x", "out/x", "up/x", "far/new/x", "round/x", "inside/x", "last"] {
        folders.in_root(path, "root");
    }
    let outside = folders.top.path().join("outside");
    fs::create_dir(&outside).unwrap();
    folders.in_workspace("file", "a file");
    symlink(&outside, folders.workspace.join("out")).unwrap();
    symlink("../outside", folders.workspace.join("up")).unwrap();
    symlink("out", folders.workspace.join("far")).unwrap();
    symlink("round", folders.workspace.join("round")).unwrap();
    folders.in_workspace("real/file", "");
    symlink("real", folders.workspace.join("inside")).unwrap();
    assert_eq!(
        told(&folders.pass()),
        [
            "skipped file/x: a folder above it is a file in the workspace",
            "skipped out/x: a folder above it leads out of the workspace",
            "skipped up/x: a folder above it leads out of the workspace",
            "skipped far/new/x: a folder above it leads out of the workspace",
            "skipped round/x: the links above it form a loop",
            "copied inside/x",
            "copied last",
        ]
    );
    assert_eq!(folders.read("file"), "a file");
    assert_eq!(folders.read("real/x"), "root");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn folders_are_laid_over_and_nothing_is_deleted() {
    let folders = Folders::syncing(&["conf", "empty"]);
    let gone = folders.in_root("conf/gone", "was here");
    folders.in_root("conf/a", "root");
    fs::create_dir(folders.root.join("empty")).unwrap();
    folders.in_workspace("conf/own", "workspace");
    folders.in_workspace("conf/a", "workspace");
    set_mode(&folders.workspace.join("conf"), 0o700);
    assert_eq!(told(&folders.pass()), ["copied conf/a", "copied conf/gone", "copied empty"]);
    fs::remove_file(gone).unwrap();
    assert_eq!(told(&folders.pass()), ["unchanged conf/a", "unchanged empty"]);
    assert_eq!(folders.read("conf/own"), "workspace");
    assert_eq!(folders.read("conf/gone"), "was here");
    assert_eq!(folders.mode("conf"), 0o700);
}

#[test]
fn a_path_that_fails_stops_nothing_else() {
    let long = "n".repeat(256); // No file system takes such a name.
    let folders = Folders::syncing(&[&format!("{long}/x"), "good"]);
    folders.in_root("good", "good");
    let told = told(&folders.pass());
    assert!(
        told[0].starts_with("failed nnn") && told[0].contains("cannot look at it: "),
        "{told:?}"
    );
    assert_eq!(told[1], "copied good");
}

#[test]
fn git_folders_are_never_written() {
    let paths =
        [".git", ".git/hooks/post-checkout", "sub/.git", "sub/.GIT/config", "all", "by/config"];
    let folders = Folders::syncing(&paths);
    for path in [".git/hooks/post-checkout", ".git/config", "sub/.git/config", "sub/.GIT/config"] {
        folders.in_root(path, "root");
    }
    folders.in_root("all/.git/HEAD", "root");
    folders.in_root("all/nested/.Git", "root");
    folders.in_root("all/nested/file", "root");
    folders.in_root("by/config", "root");
    folders.in_workspace("sub/.git/config", "workspace");
    symlink("sub/.git", folders.workspace.join("by")).unwrap();
    assert_eq!(
        told(&folders.pass()),
        [
            "skipped .git: it is git's own",
            "skipped .git/hooks/post-checkout: it is git's own",
            "skipped sub/.git: it is git's own",
            "skipped sub/.GIT/config: it is git's own",
            "skipped all/.git: it is git's own",
            "skipped all/nested/.Git: it is git's own",
            "copied all/nested/file",
            "skipped by/config: a folder above it leads into .git",
        ]
    );
    assert_eq!(folders.read(".git"), "gitdir: elsewhere\n");
    assert_eq!(folders.read("sub/.git/config"), "workspace");
}

#[test]
fn a_workspace_that_is_gone_is_not_made_again() {
    let folders = Folders::syncing(&[".env"]);
    folders.in_root(".env", "A=1");
    let outside = folders.top.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(&folders.workspace).unwrap();
    let Folders { config, root, workspace, .. } = &folders;
    let code = || pass(config, root, workspace, false, &Cancel::new()).unwrap_err().code();
    assert_eq!(code(), "workspace_folder_missing");
    assert!(!workspace.exists());
    symlink(&outside, workspace).unwrap();
    assert_eq!(code(), "workspace_folder_missing");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_link_above_the_workspace_is_not_followed_either() {
    let mut folders = Folders::syncing(&[".env"]);
    folders.in_root(".env", "A=1");
    let link = folders.root.parent().unwrap().join("link");
    symlink(folders.root.parent().unwrap(), &link).unwrap();
    folders.workspace = link.join("workspace");
    let Folders { config, root, workspace, .. } = &folders;
    let error = pass(config, root, workspace, false, &Cancel::new()).unwrap_err();
    assert_eq!(error.code(), "path_inaccessible");
    assert_eq!(folders.names(), [".git"]);
}

#[test]
fn a_dry_run_tells_the_same_and_changes_nothing() {
    let folders = Folders::syncing(&["new/deep/a", "conf", "link", "same", "absent"]);
    folders.in_root("new/deep/a", "a");
    folders.in_root("conf/b", "b");
    folders.in_root("link", "root");
    folders.in_root("same", "same");
    folders.in_workspace("conf", "a file");
    symlink("same", folders.workspace.join("link")).unwrap();
    fs::copy(folders.root.join("same"), folders.workspace.join("same")).unwrap();
    at(&folders.root.join("same"), 7);
    at(&folders.workspace.join("same"), 7);
    let before = folders.names();
    let dry = folders.dry_pass();
    assert_eq!(folders.names(), before);
    assert_eq!(folders.read("conf"), "a file");
    assert_eq!(
        told(&dry),
        [
            "copied new/deep/a",
            "copied conf/b",
            "copied link",
            "unchanged same",
            "skipped absent: the project does not have it",
        ]
    );
    assert_eq!(folders.pass(), dry);
}

#[test]
fn a_cancelled_pass_ends() {
    let folders = Folders::syncing(&[".env"]);
    folders.in_root(".env", "A=1");
    let cancel = Cancel::new();
    cancel.cancel();
    let Folders { config, root, workspace, .. } = &folders;
    let ended = pass(config, root, workspace, false, &cancel);
    assert!(matches!(ended, Err(Error::Cancelled)));
    assert_eq!(folders.names(), [".git"]);
}

#[test]
fn passes_over_one_workspace_wait_for_each_other() {
    let folders = Folders::syncing(&["big"]);
    let source = folders.in_root("big", &"content".repeat(100_000));
    for round in 0..5 {
        at(&source, round);
        std::thread::scope(|scope| {
            let passes: Vec<_> = (0..4).map(|_| scope.spawn(|| told(&folders.pass()))).collect();
            let mut told: Vec<_> =
                passes.into_iter().flat_map(|pass| pass.join().unwrap()).collect();
            told.sort();
            assert_eq!(told, ["copied big", "unchanged big", "unchanged big", "unchanged big"]);
        });
    }
    assert_eq!(folders.names(), [".git", "big"]);
}

#[test]
fn names_that_are_not_text_and_long_ones_are_copied() {
    let folders = Folders::syncing(&["names"]);
    let odd = std::ffi::OsString::from_vec(b"names/f\xff o".to_vec());
    let long = format!("names/{}", "n".repeat(255));
    write(&folders.root.join(&odd), "odd");
    folders.in_root(&long, "long");
    folders.pass();
    assert_eq!(fs::read_to_string(folders.workspace.join(&odd)).unwrap(), "odd");
    assert_eq!(folders.read(&long), "long");
}
