//! What a git leaves that is killed while it makes an entry in the list of worktrees.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::project::Project;
use rig_core::store::{Table, Transact as _};
use rig_core::workspace::{Checkout, Workspace};
use rig_git::{Error, workspaces};

use crate::world::World;

/// A reserved workspace and the entry that git would make for it.
fn begun(world: &World) -> (Project, Workspace, PathBuf) {
    const WORKSPACES: Table<rig_core::id::WorkspaceId, Workspace> = Table::new("git/workspaces");
    let project = world.project(&world.repository("proj"));
    let mut row = world.reserve(&project, "Job");
    row.base_resolved(row.base.clone());
    row.checkout = Checkout::Started;
    row.common_dir = project.path.join(".git").into();
    let stored = row.clone();
    world
        .store()
        .write(move |tx| Ok::<_, Error>(tx.put(WORKSPACES, &stored.id, &stored)?))
        .unwrap();
    let commit = row.base.commit.clone().unwrap();
    world.git(&["branch", &row.branch, &commit], &project.path);
    let entry = row.common_dir.join("worktrees").join(&row.storage_key);
    fs::create_dir_all(&entry).unwrap();
    (project, row, entry)
}

/// Makes the entry up to where `commondir` is opened and not written.
fn unreadable(row: &Workspace, entry: &std::path::Path) {
    fs::write(entry.join("locked"), "initializing\n").unwrap();
    fs::create_dir_all(&row.path).unwrap();
    let gitfile = row.path.join(".git");
    fs::write(entry.join("gitdir"), format!("{}\n", gitfile.display())).unwrap();
    fs::write(gitfile, format!("gitdir: {}\n", entry.display())).unwrap();
    fs::write(entry.join("commondir"), "").unwrap();
}

#[test]
fn an_entry_that_no_git_can_read_stops_nobody() {
    let world = World::new();
    let (project, row, entry) = begun(&world);
    unreadable(&row, &entry);
    let listed = world.try_git(&["worktree", "list"], &project.path);
    assert!(!listed.status.success(), "the whole list is unreadable to git");
    let other = world.made(&project, "Other");
    assert_eq!((other.status.to_string(), other.error), ("ready".into(), None));
    let row = world.materialize(row.id);
    assert_eq!((row.status.to_string(), row.error), ("ready".into(), None));
    assert_eq!(row.branch, "worktree/job");
    assert_eq!(world.worktrees(&project.path).len(), 3);
}

#[test]
fn an_entry_that_no_git_can_read_goes_with_its_workspace() {
    let world = World::new();
    let (project, row, entry) = begun(&world);
    unreadable(&row, &entry);
    assert_eq!(world.archived(row.id).kept, None);
    assert!(!row.path.exists() && !entry.exists());
    assert_eq!(world.worktrees(&project.path).len(), 1);
}

#[test]
fn an_entry_that_was_only_begun_is_made_anew() {
    for files in [&[][..], &["locked"], &["locked", "gitdir"]] {
        let world = World::new();
        let (project, row, entry) = begun(&world);
        for file in files {
            fs::write(entry.join(file), "").unwrap();
        }
        let row = world.materialize(row.id);
        assert_eq!((row.status.to_string(), row.error), ("ready".into(), None), "{files:?}");
        let entries = fs::read_dir(entry.parent().unwrap()).unwrap();
        let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["job"], "{files:?}");
        assert_eq!(world.git(&["status", "--porcelain"], &row.path), "");
        assert_eq!(world.worktrees(&project.path).len(), 2);
    }
}

#[test]
fn a_begun_entry_of_another_worktree_is_left_alone() {
    let world = World::new();
    let (_, row, entry) = begun(&world);
    let theirs = [entry.with_file_name("jobs"), entry.with_file_name("job2")];
    for folder in &theirs {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    }
    assert_eq!(world.archived(row.id).kept, None);
    assert!(!entry.exists());
    assert!(theirs.iter().all(|folder| folder.join("HEAD").exists()));
}

#[test]
fn an_empty_git_file_is_still_ours() {
    let world = World::new();
    let (_, row, entry) = begun(&world);
    unreadable(&row, &entry);
    fs::remove_file(entry.join("commondir")).unwrap();
    fs::write(row.path.join(".git"), "").unwrap();
    let row = world.materialize(row.id);
    assert_eq!((row.status.to_string(), row.error), ("ready".into(), None));
    assert_eq!(world.archived(row.id).kept, None);
    assert!(!row.path.exists() && !entry.exists());
}

#[test]
fn an_entry_that_another_git_tidied_away_is_made_again() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Job");
    // As `git gc` does with an entry that is not locked yet: the add fails and leaves no trace.
    let script = format!(
        "case \" $* \" in *' worktree add '*) [ -e tidied ] || {{ touch tidied; exit 128; }};; esac\n\
         PATH={:?} exec git \"$@\"",
        std::env::var("PATH").unwrap()
    );
    let path = world.path_with(&world.program("git", &script));
    let machine = world.machine_with(&[("PATH", OsStr::new(&path))]);
    let row = world.materialize_on(&machine, row.id);
    assert_eq!((row.status.to_string(), row.error), ("ready".into(), None));
    assert_eq!((row.branch.as_str(), row.warnings.len()), ("worktree/job", 0));
}

#[test]
fn a_git_that_was_killed_while_it_saved_loses_nothing_and_leaves_nothing() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Job");
    fs::write(row.path.join("work"), "precious").unwrap();
    let mark = world.root().join("killed");
    let script = format!(
        "case \" $* \" in *' write-tree '*) [ -e {mark:?} ] || {{ touch {mark:?}; kill -9 $$; }};; esac\n\
         PATH={:?} exec git \"$@\"",
        std::env::var("PATH").unwrap()
    );
    let path = world.path_with(&world.program("git", &script));
    let machine = world.machine_with(&[("PATH", OsStr::new(&path))]);
    workspaces::archive(world.store(), row.id, None, Caller::Person, None).unwrap();
    let cleaned = workspaces::clean_up(world.store(), &machine, row.id, &Cancel::new()).unwrap();
    assert!(mark.exists(), "a git was killed");
    assert_eq!(cleaned.kept, None);
    assert!(!row.path.exists());
    let saved = cleaned.workspace.saved.unwrap();
    let work = world.git(&["show", &format!("{}:work", saved.commit)], &project.path);
    assert_eq!(work, "precious");
}
