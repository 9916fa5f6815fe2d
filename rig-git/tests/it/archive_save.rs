//! Saving the work of an archived workspace, and laying it over a new one.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use rig_git::Error;

use crate::archive_world::{Desk, exists, read, write};
use crate::world::TestResult;

#[test]
fn work_not_committed() -> TestResult {
    let desk = Desk::new();
    desk.commit("changed", "one");
    desk.commit("gone", "here");
    let made = desk.workspace("Task");
    desk.git(&["checkout", "-q", "--detach"], &made.path);
    let head = desk.world.commit(&made.path, "stranded", "on no branch");
    write(made.path.join("changed"), "two");
    write(made.path.join("new/file"), "untracked");
    fs::remove_file(made.path.join("gone"))?;

    let cleaned = desk.archive(&made);
    let lost = cleaned.lost.unwrap();
    assert_eq!((lost.dirty.count, lost.unpushed), (3, 1));
    let saved = cleaned.workspace.saved.clone().unwrap();
    assert_eq!(saved.reference, format!("refs/rig/archived/{}", made.id));
    assert_eq!(lost.saved, Some(saved.clone()));
    assert_eq!(cleaned.kept, None);
    assert!(!exists(&made.path));
    let about = ["log", "-1", "--format=%H %P %an %cn", &saved.reference];
    assert_eq!(desk.git(&about, &desk.root), format!("{} {head} Rig Rig", saved.commit));

    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(desk.git(&["rev-parse", "HEAD"], &restored.path), head);
    assert_eq!(desk.status(&restored), [" M changed", " D gone", "?? new/file"]);
    assert_eq!(read(restored.path.join("changed")), "two");
    assert_eq!(read(restored.path.join("stranded")), "on no branch");
    assert_eq!(desk.git(&["rev-parse", &saved.reference], &desk.root), saved.commit);
    Ok(())
}

#[test]
fn nothing_is_saved_when_a_branch_holds_it_all() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    desk.world.commit(&made.path, "file", "on the branch");
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.workspace.saved, None);
    assert!(!exists(&made.path));
    assert!(matches!(desk.restore(&cleaned.workspace), Err(Error::NothingSaved { .. })));
}

#[test]
fn commits_on_no_branch_are_saved_though_nothing_is_dirty() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    desk.git(&["checkout", "-q", "--detach"], &made.path);
    let head = desk.world.commit(&made.path, "stranded", "on no branch");
    let cleaned = desk.archive(&made);
    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(desk.git(&["rev-parse", "HEAD"], &restored.path), head);
    assert!(desk.status(&restored).is_empty());
}

#[test]
fn commits_on_no_branch_are_saved_though_the_folder_was_deleted_or_emptied_by_hand() -> TestResult {
    let desk = Desk::new();
    for (name, emptied) in [("Deleted", false), ("Emptied", true)] {
        let made = desk.workspace(name);
        desk.git(&["checkout", "-q", "--detach"], &made.path);
        let head = desk.world.commit(&made.path, "stranded", name);
        fs::remove_dir_all(&made.path)?;
        if emptied {
            fs::create_dir(&made.path)?;
        }
        let cleaned = desk.archive(&made);
        assert_eq!(cleaned.lost.unwrap().unpushed, 1, "{name}");
        let saved = cleaned.workspace.saved.unwrap();
        assert_eq!(desk.git(&["rev-parse", &format!("{}^", saved.commit)], &desk.root), head);
        assert!(desk.entries().is_empty());
        assert!(!made.path.exists());
    }
    Ok(())
}

#[test]
fn every_kind_of_change_comes_back() -> TestResult {
    let desk = Desk::new();
    for (file, text) in [
        ("mode", "run me"),
        ("link", "a file"),
        ("file-to-folder", "a file"),
        ("folder-to-file/inside", "a file"),
        ("folder-to-link/inside", "a file"),
        ("target/inside", "kept"),
    ] {
        desk.commit(file, text);
    }
    let made = desk.workspace("Task");
    let at = |file: &str| made.path.join(file);
    fs::set_permissions(at("mode"), fs::Permissions::from_mode(0o755))?;
    fs::remove_file(at("link"))?;
    symlink("nowhere", at("link"))?;
    fs::remove_file(at("file-to-folder"))?;
    write(at("file-to-folder/inside"), "new");
    fs::remove_dir_all(at("folder-to-file"))?;
    write(at("folder-to-file"), "new");
    fs::remove_dir_all(at("folder-to-link"))?;
    symlink("target", at("folder-to-link"))?;
    write(at("line\nbreak and \"quotes\""), "odd");
    write(at(" -x"), "odd");
    let not_utf8 = OsStr::from_bytes(b"f\xffo");
    write(made.path.join(not_utf8), "bytes");
    write(at("intended"), "to add");
    desk.git(&["add", "--intent-to-add", "intended"], &made.path);

    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept, None);
    let restored = desk.restored(&cleaned.workspace);
    let at = |file: &str| restored.path.join(file);
    assert_eq!(fs::metadata(at("mode"))?.permissions().mode() & 0o111, 0o111);
    assert_eq!(fs::read_link(at("link"))?, OsStr::new("nowhere"));
    assert_eq!(read(at("file-to-folder/inside")), "new");
    assert_eq!(read(at("folder-to-file")), "new");
    assert_eq!(fs::read_link(at("folder-to-link"))?, OsStr::new("target"));
    assert_eq!(read(at("target/inside")), "kept");
    assert_eq!(read(at("line\nbreak and \"quotes\"")), "odd");
    assert_eq!(read(at(" -x")), "odd");
    assert_eq!(read(restored.path.join(not_utf8)), "bytes");
    assert_eq!(read(at("intended")), "to add");
    Ok(())
}

#[test]
fn what_is_only_in_the_index_is_saved_too() -> TestResult {
    let desk = Desk::new();
    desk.commit("file", "in HEAD");
    let made = desk.workspace("Task");
    write(made.path.join("file"), "staged");
    write(made.path.join("added"), "staged and gone");
    desk.git(&["add", "file", "added"], &made.path);
    write(made.path.join("file"), "on disk");
    fs::remove_file(made.path.join("added"))?;

    let cleaned = desk.archive(&made);
    let saved = cleaned.workspace.saved.clone().unwrap();
    let show = |what: &str| desk.git(&["show", &format!("{}{what}", saved.commit)], &desk.root);
    assert_eq!(show(":file"), "on disk");
    assert_eq!(show("^2:file"), "staged");
    assert_eq!(show("^2:added"), "staged and gone");

    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(desk.status(&restored), ["AD added", "MM file"]);
    assert_eq!(read(restored.path.join("file")), "on disk");
    Ok(())
}

#[test]
fn what_is_staged_and_on_disk_needs_no_second_parent() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    write(made.path.join("added"), "staged");
    desk.git(&["add", "added"], &made.path);
    let cleaned = desk.archive(&made);
    let saved = cleaned.workspace.saved.clone().unwrap();
    let parents = desk.git(&["log", "-1", "--format=%P", &saved.commit], &desk.root);
    assert_eq!(parents.split(' ').count(), 1);
    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(desk.status(&restored), ["?? added"]);
}

#[test]
fn a_conflict_is_saved_as_it_is_on_disk() {
    let desk = Desk::new();
    desk.commit("file", "base");
    let made = desk.workspace("Task");
    desk.world.commit(&made.path, "file", "ours");
    desk.commit("file", "theirs");
    let merge = desk.world.try_git(&["merge", "-q", "main"], &made.path);
    assert!(!merge.status.success());
    write(made.path.join("other"), "staged");
    desk.git(&["add", "other"], &made.path);
    write(made.path.join("other"), "on disk");
    let conflict = read(made.path.join("file"));
    assert!(conflict.contains("<<<<<<<"));

    let lost = desk.lost(&made);
    assert_eq!(lost.dirty.count, 2);
    let cleaned = desk.archive(&made);
    assert_eq!(cleaned.kept, None);
    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(read(restored.path.join("file")), conflict);
    assert_eq!(desk.status(&restored), [" M file", "AM other"]);
}

#[test]
fn work_on_a_branch_without_commits_is_saved_on_the_base() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    desk.git(&["checkout", "-q", "--orphan", "fresh"], &made.path);
    write(made.path.join("new"), "text");
    let cleaned = desk.archive(&made);
    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(desk.status(&restored), ["?? new"]);
    assert_eq!(restored.base.commit, made.base.commit);
}

#[test]
fn work_in_a_sha_256_repository_is_saved_and_restored() {
    let desk = Desk::on(|world| world.repository_with("project", &["--object-format=sha256"]));
    let made = desk.workspace("Task");
    write(made.path.join("new"), "text");
    let cleaned = desk.archive(&made);
    let saved = cleaned.workspace.saved.clone().unwrap();
    assert_eq!(saved.commit.len(), 64);
    let restored = desk.restored(&cleaned.workspace);
    assert_eq!(desk.status(&restored), ["?? new"]);
}

#[test]
fn ignored_files_and_nested_repositories_are_not_saved_but_reported() {
    let desk = Desk::new();
    desk.commit(".gitignore", "*.log\n");
    let made = desk.workspace("Task");
    write(made.path.join("a.log"), "12345");
    let nested = made.path.join("nested");
    fs::create_dir(&nested).unwrap();
    desk.git(&["init", "-q"], &nested);
    desk.world.commit(&nested, "inner", "text");
    let cleaned = desk.archive(&made);
    let lost = cleaned.lost.unwrap();
    assert_eq!((lost.ignored.count, lost.ignored.bytes), (1, 5));
    assert_eq!(lost.nested, ["nested".into()]);
    assert_eq!(cleaned.workspace.saved, None);
    assert!(!exists(&made.path));
}

/// Root reads everything, so there the unreadable file is a FIFO in the place of a tracked one.
#[test]
fn save_fails() -> TestResult {
    let desk = Desk::new();
    desk.commit("file", "text");
    let made = desk.workspace("Task");
    write(made.path.join("untracked"), "text");
    if rustix::process::geteuid().is_root() {
        fs::remove_file(made.path.join("file"))?;
        assert!(Command::new("mkfifo").arg(made.path.join("file")).status()?.success());
    } else {
        fs::set_permissions(made.path.join("untracked"), fs::Permissions::from_mode(0o000))?;
    }
    let cleaned = desk.archive(&made);
    let kept = cleaned.kept.unwrap();
    assert!(kept.starts_with("saving failed"), "{kept}");
    assert_eq!(cleaned.workspace.saved, None);
    assert!(exists(made.path.join("untracked")));
    assert_eq!(desk.entries().len(), 1);
    Ok(())
}

/// As after a crash between the ref and the row.
#[test]
fn a_ref_that_is_set_does_not_move() {
    for (on_disk, same) in [("saved", true), ("later", false)] {
        let desk = Desk::new();
        let made = desk.workspace("Task");
        write(made.path.join("file"), "saved");
        desk.git(&["add", "file"], &made.path);
        let tree = desk.git(&["write-tree"], &made.path);
        desk.git(&["reset", "-q"], &made.path);
        let saved = desk.git(&["commit-tree", "-p", "HEAD", "-m", "saved", &tree], &made.path);
        let reference = format!("refs/rig/archived/{}", made.id);
        desk.git(&["update-ref", &reference, &saved], &made.path);
        write(made.path.join("file"), on_disk);

        let cleaned = desk.archive(&made);
        assert_eq!(cleaned.kept.is_none(), same, "{:?}", cleaned.kept);
        assert_eq!(exists(made.path.join("file")), !same);
        assert_eq!(desk.git(&["rev-parse", &reference], &desk.root), saved);
    }
}

#[test]
fn restored_work_is_laid_once_and_then_left_alone() {
    let desk = Desk::new();
    desk.commit("file", "one");
    let made = desk.workspace("Task");
    write(made.path.join("file"), "two");
    let cleaned = desk.archive(&made);
    let first = desk.restored(&cleaned.workspace);
    let second = desk.restored(&cleaned.workspace);
    assert_ne!(first.path, second.path);
    for restored in [first, second] {
        assert_eq!(read(restored.path.join("file")), "two");
    }
}
