use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use tempfile::TempDir;

use super::remove;

#[allow(clippy::disallowed_methods)] // A test is no library.
fn temporary() -> TempDir {
    TempDir::new().unwrap()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn links_go_and_their_targets_stay() {
    let dir = temporary();
    let (outside, tree) = (dir.path().join("outside"), dir.path().join("tree"));
    fs::create_dir_all(outside.join("node_modules/left-pad")).unwrap();
    fs::write(outside.join("node_modules/left-pad/index.js"), "1").unwrap();
    fs::create_dir_all(tree.join("src")).unwrap();
    symlink(outside.join("node_modules"), tree.join("node_modules")).unwrap();
    symlink("../../outside", tree.join("src/relative")).unwrap();
    symlink(outside.join("node_modules/left-pad/index.js"), tree.join("src/file")).unwrap();
    symlink("nowhere", tree.join("dangling")).unwrap();
    symlink(".", tree.join("loop")).unwrap();
    fs::hard_link(outside.join("node_modules/left-pad/index.js"), tree.join("hard")).unwrap();
    remove(&tree).unwrap();
    assert!(!tree.exists());
    assert_eq!(fs::read_to_string(outside.join("node_modules/left-pad/index.js")).unwrap(), "1");
}

#[test]
fn a_link_in_place_of_the_tree_is_refused() {
    let dir = temporary();
    let (outside, tree) = (dir.path().join("outside"), dir.path().join("tree"));
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "1").unwrap();
    symlink(&outside, &tree).unwrap();
    let error = remove(&tree).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot delete {}", tree.display()));
    assert!(tree.is_symlink());
    assert!(outside.join("file").exists());
}

#[test]
fn what_is_not_there_is_fine() {
    let dir = temporary();
    remove(&dir.path().join("tree")).unwrap();
    remove(&dir.path().join("no/tree")).unwrap();
}

#[test]
fn folders_without_permissions_and_files_of_every_kind_are_deleted() {
    let dir = temporary();
    let tree = dir.path().join("tree");
    let name = OsStr::from_bytes(b"f\xffo\nbar");
    for (folder, mode) in [("unwritable", 0o555), ("unreadable", 0o300), ("closed", 0)] {
        let folder = tree.join(folder).join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), "1").unwrap();
        set_mode(&folder.join(name), 0);
        set_mode(&folder, mode);
        set_mode(folder.parent().unwrap(), mode);
    }
    drop(UnixListener::bind(tree.join("socket")).unwrap());
    set_mode(&tree, 0o500);
    remove(&tree).unwrap();
    assert!(!tree.exists());
}

#[test]
fn a_very_deep_tree_is_deleted() {
    let dir = temporary();
    let tree = dir.path().join("tree");
    fs::create_dir(&tree).unwrap();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut deepest = openat(CWD, &tree, flags, Mode::empty()).unwrap();
    let name = "deeper-than-any-path-may-be-long";
    for _ in 0..250 {
        mkdirat(&deepest, name, Mode::RWXU).unwrap();
        mkdirat(&deepest, "beside", Mode::RWXU).unwrap();
        deepest = openat(&deepest, name, flags, Mode::empty()).unwrap();
    }
    drop(deepest);
    remove(&tree).unwrap();
    assert!(!tree.exists());
}
