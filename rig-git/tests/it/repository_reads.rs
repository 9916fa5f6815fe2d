//! What is read of repositories of every kind.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};

use rig_git::Error;
use rig_git::git::Git;
use rig_git::repository::{Head, Linked, Repository, linked};

use crate::world::{TestResult, World};

fn git(world: &World) -> Git {
    world.machine().git
}

fn open(world: &World, path: &Path) -> Repository {
    Repository::open(&git(world), path).unwrap().unwrap()
}

/// A ref that no ref store could confuse with another: what any kind of repository must answer.
fn check_all_answers(world: &World, path: &Path) -> TestResult {
    let first = world.git(&["rev-parse", "HEAD"], path);
    let second = world.commit(path, "a.txt", "second");
    world.git(&["tag", "-a", "-m", "one", "v1", &first], path);
    world.git(&["branch", "worktree/a", &first], path);
    world.git(&["branch", "worktree/b"], path);
    world.git(&["branch", "dual"], path);
    world.git(&["tag", "dual", &first], path);
    world.git(&["remote", "add", "origin", "https://h/o/rig.git"], path);
    world.git(&["update-ref", "refs/remotes/origin/main", &first], path);
    world.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"], path);
    world.git(&["config", "branch.main.remote", "origin"], path);
    let tree = world.root().join("linked worktree");
    let args = ["worktree", "add", "-q", "-b", "side", "--lock", "--reason", "because"];
    let args = args.iter().map(OsStr::new).chain([tree.as_os_str(), OsStr::new(&first)]);
    world.git(&args.collect::<Vec<_>>(), path);

    let found = open(world, path);
    assert_eq!(found.top_level(), Some(path));
    assert_eq!(found.git_dir(), path.join(".git"));
    assert_eq!(found.common_dir(), path.join(".git"));
    assert!(!found.bare_by_accident());
    let main = Head { branch: Some("main".into()), commit: Some(second.clone()) };
    assert_eq!(found.head()?, main);
    assert!(found.has_commits()?);

    for (revision, commit) in [
        ("HEAD", Some(&second)),
        ("@", Some(&second)),
        ("HEAD~1", Some(&first)),
        ("HEAD~2", None),
        ("main^", Some(&first)),
        ("v1", Some(&first)),
        ("dual", Some(&first)),
        ("heads/dual", Some(&second)),
        ("origin", Some(&first)),
        ("origin/main", Some(&first)),
        ("refs/heads/main", Some(&second)),
        (&second, Some(&second)),
        (&second[..10], Some(&second)),
        ("v1-1-gdeadbee", None),
        (&"0".repeat(second.len()), None),
        ("nope", None),
        ("nope~1", None),
        ("deadbeef", None),
        ("", None),
        ("main@{upstream}", None),
        ("a..b", None),
        ("HEAD:a.txt", None),
        ("--all", None),
        ("description", None),
    ] {
        assert_eq!(found.commit(revision)?.as_ref(), commit, "{revision:?}");
    }

    let named = |name: &str| found.ref_named(name);
    assert_eq!(named("main")?, Some(("refs/heads/main".into(), false)));
    assert_eq!(named("dual")?, Some(("refs/tags/dual".into(), true)));
    assert_eq!(named("heads/dual")?, Some(("refs/heads/dual".into(), false)));
    assert_eq!(named("origin")?, Some(("refs/remotes/origin/HEAD".into(), false)));
    assert_eq!(named("HEAD")?, Some(("HEAD".into(), false)));
    assert_eq!(named("config")?, None);
    assert_eq!(named("a..b")?, None);

    assert_eq!(found.reference("refs/tags/v1")?, Some(first.clone()));
    assert_eq!(found.reference("refs/heads/nope")?, None);
    assert_eq!(found.reference("main")?, None);
    let origin_head = found.symbolic("refs/remotes/origin/HEAD")?;
    assert_eq!(origin_head.as_deref(), Some("refs/remotes/origin/main"));
    assert_eq!(found.symbolic("refs/heads/main")?, None);
    assert_eq!(found.symbolic("refs/heads/nope")?, None);
    let a = ("refs/heads/worktree/a".to_owned(), first.clone());
    let b = ("refs/heads/worktree/b".to_owned(), second.clone());
    assert_eq!(found.refs_below("refs/heads/worktree/")?, [a.clone(), b]);
    assert_eq!(found.refs_below("refs/heads/worktree/a")?, [a]);
    assert_eq!(found.refs_below("refs/heads/none/")?, []);

    assert_eq!(found.remotes()?, ["origin"]);
    assert_eq!(found.remote_url("origin")?.as_deref(), Some("https://h/o/rig.git"));
    assert_eq!(found.remote_url("other")?, None);
    assert_eq!(found.config("Branch.main.Remote")?.as_deref(), Some("origin"));
    assert_eq!(found.config("core.hooksPath")?, None);
    assert_eq!(found.config("user.name")?.as_deref(), Some("Tester"));

    assert!(found.is_ancestor(&first, &second)?);
    assert!(found.is_ancestor(&first, &first)?);
    assert!(!found.is_ancestor(&second, &first)?);
    assert_eq!(found.count_missing(&second, &[])?, 2);
    assert_eq!(found.count_missing(&second, std::slice::from_ref(&first))?, 1);
    assert_eq!(found.count_missing(&second, &["0".repeat(first.len()), second.clone()])?, 0);

    let entry = path.join(".git/worktrees/linked-worktree");
    let entry = if entry.exists() { entry } else { path.join(".git/worktrees/linked worktree") };
    let side = Head { branch: Some("side".into()), commit: Some(first) };
    let [worktree] = &found.worktrees()?[..] else { panic!("not one worktree") };
    assert_eq!(worktree.path, tree);
    assert_eq!(worktree.git_dir, entry);
    assert_eq!(worktree.head, Some(side.clone()));
    assert_eq!(worktree.locked.as_deref(), Some("because"));
    let inside = open(world, &tree);
    assert_eq!(inside.top_level(), Some(&*tree));
    assert_eq!(inside.git_dir(), entry);
    assert_eq!(inside.common_dir(), path.join(".git"));
    assert_eq!(inside.head()?, side);
    assert_eq!(linked(&tree, found.common_dir())?, Linked::Ours { git_dir: entry });
    fs::remove_dir_all(&tree)?;
    assert_eq!(found.worktrees()?[0].head, Some(side));
    Ok(())
}

#[test]
fn an_ordinary_repository_is_read() -> TestResult {
    let world = World::new();
    let path = world.repository("a project");
    check_all_answers(&world, &path)
}
