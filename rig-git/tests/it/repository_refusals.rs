//! What is told of repositories that cannot be read, or are not ours.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

use rig_git::Error;
use rig_git::repository::{Linked, Repository, linked};

use crate::repository_reads::{git, open};
use crate::world::{TestResult, World};

#[test]
fn a_moved_worktree_and_another_clone_are_not_ours() -> TestResult {
    let world = World::new();
    let path = world.repository("project");
    let common = path.join(".git");
    let (tree, moved) = (world.root().join("tree"), world.root().join("moved"));
    world.git(&["worktree", "add", "-q", "../tree"], &path);
    assert_eq!(linked(&tree, &common)?, Linked::Ours { git_dir: common.join("worktrees/tree") });
    let other = world.clone_of(&path, "other");
    assert_eq!(linked(&tree, &other.join(".git"))?, Linked::Foreign);
    assert_eq!(linked(&other, &common)?, Linked::Foreign);
    assert_eq!(linked(&path, &common)?, Linked::Foreign);
    let link = world.root().join("link");
    symlink(&tree, &link)?;
    assert_eq!(linked(&link, &common)?, Linked::Foreign);
    // Its `.git` still names the entry, which names the place it was moved from.
    fs::rename(&tree, &moved)?;
    assert_eq!(linked(&moved, &common)?, Linked::Foreign);
    assert_eq!(open(&world, &moved).top_level(), Some(&*moved));
    assert_eq!(linked(&tree, &common)?, Linked::Nothing);
    fs::create_dir(&tree)?;
    assert_eq!(linked(&tree, &common)?, Linked::Nothing);
    world.write("tree/file", "mine");
    assert_eq!(linked(&tree, &common)?, Linked::Foreign);
    Ok(())
}

#[test]
fn a_worktree_without_its_common_folder_is_an_error_and_not_nothing() {
    let world = World::new();
    let path = world.repository("project");
    world.git(&["worktree", "add", "-q", "../tree"], &path);
    fs::rename(&path, world.root().join("away")).unwrap();
    let error = Repository::open(&git(&world), &world.root().join("tree")).err().unwrap();
    assert_eq!(error.code(), "path_inaccessible", "{error}");
    let told = format!("cannot look at {}", path.join(".git/worktrees/tree").display());
    assert_eq!(error.to_string(), told);
}

#[test]
fn a_format_that_git_refuses_is_named() {
    let world = World::new();
    let path = world.repository("project");
    world.git(&["config", "core.repositoryFormatVersion", "1"], &path);
    world.git(&["config", "extensions.fromTheFuture", "yes"], &path);
    let told = |world: &World| Repository::open(&git(world), &path).err().unwrap();
    let prefix = format!("git cannot read the repository at {}: ", path.display());
    let error = told(&world);
    assert_eq!(error.code(), "repository_format");
    assert_eq!(error.to_string(), format!("{prefix}extensions.fromthefuture = yes"));
    let config = fs::read_to_string(path.join(".git/config")).unwrap();
    let config = config.replace("Version = 1", "Version = 7");
    fs::write(path.join(".git/config"), config.replace("version = 1", "version = 7")).unwrap();
    assert_eq!(told(&world).to_string(), format!("{prefix}core.repositoryFormatVersion = 7"));
}

#[test]
fn somebody_elses_repository_is_trusted_only_if_the_user_says_so() -> TestResult {
    let world = World::new();
    let path = world.repository("project");
    if chown(path.join(".git"), Some(12345), None).is_err() {
        return Ok(()); // Only root can give a folder away.
    }
    let error = Repository::open(&git(&world), &path).err().unwrap();
    assert_eq!(error.code(), "repository_not_trusted");
    let told = "belongs to user 12345: if you trust it, add it to git's safe.directory";
    assert!(error.to_string().ends_with(told), "{error}");
    // In the home that was handed in, not in the one the test runs in.
    let trust =
        [OsStr::new("config"), "--global".as_ref(), "safe.directory".as_ref(), path.as_ref()];
    world.git(&trust, world.root());
    let found = open(&world, &path);
    assert_eq!(found.head()?.branch.as_deref(), Some("main"));
    assert_eq!(found.top_level(), Some(&*path));
    Ok(())
}

#[test]
fn an_unreadable_repository_is_an_error_and_not_nothing() {
    let world = World::new();
    let path = world.repository("project");
    fs::set_permissions(path.join(".git"), fs::Permissions::from_mode(0o0)).unwrap();
    match Repository::open(&git(&world), &path) {
        Ok(found) => assert!(found.is_some()), // root reads everything.
        Err(error) => assert_eq!(error.code(), "path_inaccessible", "{error}"),
    }
}

#[test]
fn broken_configuration_is_an_error_that_says_so() {
    let world = World::new();
    let path = world.repository("project");
    fs::write(path.join(".git/config"), "[core\n").unwrap();
    let error = Repository::open(&git(&world), &path).err().unwrap();
    assert!(matches!(error, Error::PathInaccessible { .. }), "{error}");
}

#[test]
fn refs_that_cannot_be_read_are_an_error_and_not_none() {
    let world = World::new();
    let path = world.repository("project");
    for size in [1, 5000] {
        world.write("project/.git/packed-refs", "what is this?\n".repeat(size));
        let error = open(&world, &path).refs_below("refs/heads/worktree/").unwrap_err();
        assert_eq!(error.code(), "git_failed", "{error}");
    }
}
