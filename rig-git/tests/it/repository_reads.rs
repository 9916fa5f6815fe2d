//! What is read of repositories of every kind.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rig_git::git::Git;
use rig_git::repository::{Head, Linked, Repository, linked};

use crate::world::{TestResult, World};

pub(crate) fn git(world: &World) -> Git {
    world.machine().git
}

pub(crate) fn open(world: &World, path: &Path) -> Repository {
    Repository::open(&git(world), path).unwrap().unwrap()
}

/// What a repository of any kind must answer.
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

    assert!(found.count_missing(&"0".repeat(first.len()), &[]).is_err());

    check_worktree(world, path, &first)
}

/// The same for its linked worktrees; `first` is the parent of `main`.
fn check_worktree(world: &World, path: &Path, first: &str) -> TestResult {
    let tree = world.root().join("linked worktree");
    let args = ["worktree", "add", "-q", "-b", "side", "--lock", "--reason", "because"];
    let args = args.iter().map(OsStr::new).chain([tree.as_os_str(), OsStr::new("main~1")]);
    world.git(&args.collect::<Vec<_>>(), path);

    let found = open(world, path);
    let entry = path.join(".git/worktrees/linked-worktree");
    let entry = if entry.exists() { entry } else { path.join(".git/worktrees/linked worktree") };
    let side = Head { branch: Some("side".into()), commit: Some(first.to_owned()) };
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
    assert_eq!(inside.worktrees()?, found.worktrees()?);
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

#[test]
fn a_repository_with_sha256_objects_gives_the_same_answers() -> TestResult {
    let world = World::new();
    let path = world.repository_with("sha256", &["--object-format=sha256"]);
    check_all_answers(&world, &path)
}

#[test]
fn a_repository_with_reftable_refs_gives_the_same_answers() -> TestResult {
    let world = World::new();
    let path = world.root().join("reftable");
    fs::create_dir(&path)?;
    let made = world.try_git(&["init", "-q", "--ref-format=reftable"], &path);
    if !made.status.success() {
        return Ok(()); // This git is older than the format.
    }
    world.commit(&path, "README.md", "first");
    check_all_answers(&world, &path)
}

#[test]
fn a_repository_with_worktree_config_gives_the_same_answers() -> TestResult {
    let world = World::new();
    let path = world.repository("configured");
    world.git(&["config", "core.repositoryFormatVersion", "1"], &path);
    world.git(&["config", "extensions.worktreeConfig", "true"], &path);
    check_all_answers(&world, &path)
}

#[test]
fn worktrees_with_relative_paths_are_found_both_ways() -> TestResult {
    let world = World::new();
    let path = world.repository("project");
    let tree = world.root().join("tree");
    world.git(&["worktree", "add", "-q", "-b", "side", "../tree"], &path);
    // As `extensions.relativeWorktrees` writes them.
    let entry = path.join(".git/worktrees/tree");
    fs::write(entry.join("gitdir"), "../../../../tree/.git\n")?;
    fs::write(tree.join(".git"), "gitdir: ../project/.git/worktrees/tree\n")?;
    world.git(&["config", "core.repositoryFormatVersion", "1"], &path);
    world.git(&["config", "extensions.relativeWorktrees", "true"], &path);
    let ours = Linked::Ours { git_dir: entry.clone() };
    assert_eq!(linked(&tree, &path.join(".git"))?, ours);
    match Repository::open(&git(&world), &tree) {
        Ok(found) => {
            let found = found.unwrap();
            assert_eq!(found.top_level(), Some(&*tree));
            assert_eq!(found.worktrees()?[0].path, tree);
            assert_eq!(found.head()?.branch.as_deref(), Some("side"));
        }
        // A git that is older than the extension refuses the whole repository.
        Err(error) => {
            assert_eq!(error.code(), "repository_format", "{error}");
            assert!(error.to_string().ends_with("extensions.relativeworktrees = true"), "{error}");
        }
    }
    Ok(())
}

#[test]
fn a_format_that_libgit2_reads_and_git_refuses_is_refused() {
    let world = World::new();
    let path = world.repository("project");
    world.git(&["config", "core.repositoryFormatVersion", "1"], &path);
    world.git(&["config", "extensions.relativeWorktrees", "true"], &path);
    let known = world.try_git(&["rev-parse"], &path).status.success();
    match Repository::open(&git(&world), &path) {
        Ok(_) => assert!(known),
        Err(error) => assert_eq!((known, error.code()), (false, "repository_format"), "{error}"),
    }
}

#[test]
fn a_folder_that_is_no_top_level_opens_nothing_and_is_discovered() -> TestResult {
    let world = World::new();
    let path = world.repository("project");
    let below = path.join("src/deep");
    fs::create_dir_all(&below)?;
    let link = world.root().join("link");
    symlink(&below, &link)?;
    let git = git(&world);
    for (folder, top_level) in [
        (below.clone(), Some(&path)),
        (link, Some(&path)),
        (path.join(".git"), Some(&path)),
        (world.root().to_owned(), None),
        (world.root().join("nothing"), None),
    ] {
        assert!(Repository::open(&git, &folder)?.is_none(), "{}", folder.display());
        let discovered = Repository::discover(&git, &folder)?;
        let found = discovered.as_ref().and_then(Repository::top_level);
        assert_eq!(found, top_level.map(PathBuf::as_path), "{}", folder.display());
    }
    Ok(())
}

#[test]
fn an_empty_git_folder_is_no_repository() -> TestResult {
    let world = World::new();
    let path = world.root().join("project");
    fs::create_dir_all(path.join(".git"))?;
    assert!(Repository::open(&git(&world), &path)?.is_none());
    assert!(Repository::discover(&git(&world), &path)?.is_none());
    Ok(())
}

#[test]
fn a_bare_repository_has_no_top_level() -> TestResult {
    let world = World::new();
    let project = world.repository("project");
    let args = ["clone", "-q", "--bare", "project", "bare.git"];
    world.git(&args, world.root());
    let bare = open(&world, &world.root().join("bare.git"));
    assert_eq!(bare.top_level(), None);
    assert!(!bare.bare_by_accident());
    // A bare repository with its worktrees beside it, as some keep it, is no accident.
    world.git(&["clone", "-q", "--bare", "project", "kept/.git"], world.root());
    let kept = open(&world, &world.root().join("kept"));
    assert_eq!(kept.top_level(), None);
    assert!(!kept.bare_by_accident());
    assert_eq!(kept.head()?.commit, open(&world, &project).head()?.commit);
    Ok(())
}

#[test]
fn a_checkout_that_is_configured_as_bare_is_told_apart() {
    let world = World::new();
    let path = world.repository("project");
    let tree = world.root().join("tree");
    world.git(&["worktree", "add", "-q", "../tree"], &path);
    world.git(&["config", "core.bare", "true"], &path);
    let found = open(&world, &path);
    assert!(found.bare_by_accident());
    assert_eq!(found.top_level(), None);
    // git does not let the accident reach linked worktrees.
    let linked = open(&world, &tree);
    assert!(!linked.bare_by_accident());
    assert_eq!(linked.top_level(), Some(&*tree));
}

#[test]
fn an_unborn_repository_has_a_branch_and_no_commit() -> TestResult {
    let world = World::new();
    let path = world.unborn("new", &[]);
    let found = open(&world, &path);
    assert_eq!(found.head()?, Head { branch: Some("main".into()), commit: None });
    assert!(!found.has_commits()?);
    assert_eq!(found.commit("HEAD")?, None);
    // Fetched commits are commits too.
    let origin = world.repository("origin");
    world.git(&[OsStr::new("fetch"), "-q".as_ref(), origin.as_ref(), "main:other".as_ref()], &path);
    assert!(found.has_commits()?);
    Ok(())
}

#[test]
fn a_detached_head_is_on_no_branch() -> TestResult {
    let world = World::new();
    let path = world.repository("project");
    let commit = world.git(&["rev-parse", "HEAD"], &path);
    world.git(&["checkout", "-q", "--detach"], &path);
    assert_eq!(open(&world, &path).head()?, Head { branch: None, commit: Some(commit) });
    Ok(())
}

#[test]
fn a_submodule_is_a_repository_of_its_own() -> TestResult {
    let world = World::new();
    let inner = world.repository("inner");
    let path = world.repository("project");
    world.git(&["submodule", "--quiet", "add", "../inner", "vendor/inner"], &path);
    let submodule = path.join("vendor/inner");
    let found = open(&world, &submodule);
    assert_eq!(found.top_level(), Some(&*submodule));
    assert_eq!(found.git_dir(), path.join(".git/modules/vendor/inner"));
    assert_eq!(found.common_dir(), found.git_dir());
    assert_eq!(found.head()?.commit, open(&world, &inner).head()?.commit);
    assert_eq!(linked(&submodule, &path.join(".git"))?, Linked::Foreign);
    Ok(())
}

#[test]
fn paths_that_are_not_utf8_are_read_as_they_are() -> TestResult {
    let world = World::new();
    let path = world.repository(OsStr::from_bytes(b"f\xffo"));
    let tree = world.root().join(OsStr::from_bytes(b"tree \xfe"));
    let args = [OsStr::new("worktree"), "add".as_ref(), "-bside".as_ref(), tree.as_ref()];
    world.git(&args, &path);
    let found = open(&world, &path);
    assert_eq!(found.top_level(), Some(&*path));
    let [worktree] = &found.worktrees()?[..] else { panic!("not one worktree") };
    assert_eq!(worktree.path, tree);
    assert_eq!(worktree.head.as_ref().unwrap().branch.as_deref(), Some("side"));
    assert_eq!(open(&world, &tree).git_dir(), worktree.git_dir);
    let ours = Linked::Ours { git_dir: worktree.git_dir.clone() };
    assert_eq!(linked(&tree, found.common_dir())?, ours);
    Ok(())
}
