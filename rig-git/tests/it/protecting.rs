//! Protected copies: how they are made, and what may not be written.

use std::fs::{self};
use std::os::unix::fs::{MetadataExt, symlink};

use crate::sync_folders::{Folders, set_mode, told};

#[test]
fn protected_copy() {
    let folders = Folders::syncing(&["plain", "both/x", "deep"])
        .protecting(&["secret", "keys"], &["both", "deep/inner"]);
    for path in ["plain", "secret", "keys/a", "both/x", "deep/inner/y", "deep/z"] {
        folders.in_root(path, "root");
    }
    folders.pass();
    // No write bit, by whatever list it came; folders keep theirs, to stay removable.
    for path in ["secret", "keys/a", "both/x", "deep/inner/y"] {
        assert_eq!(folders.mode(path) & 0o222, 0, "{path}");
        assert_eq!(folders.refused(path), Some("protected_path"), "{path}");
    }
    for path in ["plain", "deep/z", "keys", "both", "deep/inner"] {
        assert_eq!(folders.mode(path) & 0o200, 0o200, "{path}");
    }
    assert_eq!((folders.refused("plain"), folders.refused("deep/z")), (None, None));

    // Through links, and however it is spelled.
    symlink("secret", folders.workspace.join("alias")).unwrap();
    symlink("keys", folders.workspace.join("folder-alias")).unwrap();
    fs::hard_link(folders.workspace.join("secret"), folders.workspace.join("second-name")).unwrap();
    let beside = folders.top.path().join("beside");
    symlink(&folders.workspace, &beside).unwrap();
    for path in [
        "alias",
        "folder-alias/a",
        "folder-alias/new",
        "keys/new/deeper",
        "second-name",
        "./keys//../secret",
        "deep/../secret",
        "missing/../secret",
    ] {
        assert_eq!(folders.refused(path), Some("protected_path"), "{path}");
    }
    for path in [folders.workspace.join("secret"), beside.join("keys/a"), beside.join("alias")] {
        assert_eq!(folders.refused(&path), Some("protected_path"), "{}", path.display());
    }

    // The root's next change arrives.
    let inode = fs::metadata(folders.workspace.join("secret")).unwrap().ino();
    folders.in_root("secret", "changed");
    assert_eq!(told(&folders.pass())[4], "copied secret");
    assert_eq!(folders.read("secret"), "changed");
    assert_eq!(folders.mode("secret") & 0o222, 0);
    assert_ne!(fs::metadata(folders.workspace.join("secret")).unwrap().ino(), inode);
    // A copy that became writable is no longer what it should be.
    set_mode(&folders.workspace.join("secret"), 0o644);
    assert_eq!(told(&folders.pass())[4], "copied secret");
    assert_eq!(folders.mode("secret") & 0o222, 0);
}

#[test]
fn only_what_exists_is_protected() {
    let folders = Folders::syncing(&[]).protecting(&["absent"], &["made", "linked"]);
    assert_eq!(folders.refused("absent"), None);
    assert_eq!(folders.refused("made/x"), None);
    folders.in_workspace("made/y", "");
    assert_eq!(folders.refused("made/x"), Some("protected_path"));
    // A protected link protects what it leads to.
    folders.in_workspace("target/file", "");
    symlink("target", folders.workspace.join("linked")).unwrap();
    assert_eq!(folders.refused("target/file"), Some("protected_path"));
    assert_eq!(folders.refused("targets"), None);
    // Links that never end lead nowhere that could be told.
    symlink("round", folders.workspace.join("round")).unwrap();
    assert_eq!(folders.refused("round"), Some("path_inaccessible"));
}
