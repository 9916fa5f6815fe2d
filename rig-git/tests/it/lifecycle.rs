//! Archiving: the row at once, the folder after it, whoever works in it stopped first.

use std::fs;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::clock::Clock;
use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::name::Name;
use rig_core::store::{self, ReadTx, Store, Table, Transact, Tx};
use rig_core::workspace::{DeleteBranch, Status, Workspace};
use rig_git::progress::Progress;
use rig_git::{projects, workspaces};

use crate::world::World;

/// The index by name, which a test spoils.
const NAMES: Table<(ProjectId, String), WorkspaceId> = Table::new("git/workspace_names");

#[test]
fn archived_hidden() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Away");
    let cleaned = world.archived(row.id);
    assert_eq!(cleaned.workspace.status, Status::Archived);
    assert_eq!(cleaned.kept, None);
    assert!(!row.path.exists());
    let active = world.store().read(|read| workspaces::list(read, project.id, false)).unwrap();
    assert_eq!(active, []);
    assert_eq!(world.rows(&project)[0].status, Status::Archived);
    // The branch is kept, and archiving again does nothing.
    assert_eq!(world.branches(&project.path), ["main", "worktree/away"]);
    let events = world.events().len();
    let again = workspaces::archive(world.store(), row.id, None, Caller::Person, Some(1)).unwrap();
    assert_eq!(again, cleaned.workspace);
    assert_eq!(world.clean_up(row.id).workspace, again);
    assert_eq!(world.events().len(), events);
}

#[test]
fn archive_during_setup() {
    let world = World::new();
    let repository = world.repository("proj");
    let script = "echo $$ > ../pid; exec sleep 600";
    world.commit(
        &repository,
        "rig.toml",
        &format!("[workspace]\nsetup_commands = [\"{script}\"]\n"),
    );
    archive_while_it_is_made(&world, &repository, |progress| {
        matches!(progress, Progress::Step(_, Some(1)))
    });
}

#[test]
fn archive_during_the_add() {
    let world = World::new();
    let repository = world.repository("proj");
    world.commit(&repository, ".gitattributes", "*.slow filter=slow\n");
    world.commit(&repository, "a.slow", "a");
    let hold = world.write("hold.sh", "sleep 600\n");
    world.git(&["config", "filter.slow.smudge", &format!("sh '{}'", hold.display())], &repository);
    archive_while_it_is_made(&world, &repository, |progress| {
        matches!(progress, Progress::Step(rig_core::workspace::StepName::Checkout, None))
    });
}

/// Archives when `at` says so, from another thread than makes the workspace.
fn archive_while_it_is_made(
    world: &World,
    repository: &std::path::Path,
    at: impl Fn(&Progress<'_>) -> bool + Send + Sync,
) {
    let project = world.project(repository);
    let row = world.reserve(&project, "Stopped");
    let (begun, wait) = mpsc::channel();
    let machine = world.machine();
    thread::scope(|scope| {
        let making = scope.spawn(|| {
            let tell = &mut |progress: Progress<'_>| {
                if at(&progress) {
                    begun.send(()).unwrap();
                }
            };
            workspaces::materialize(world.store(), &machine, row.id, tell, &Cancel::new())
        });
        wait.recv().unwrap();
        let cleaned = world.archived(row.id);
        assert_eq!(cleaned.workspace.status, Status::Archived);
        assert_eq!(cleaned.kept, None);
        let made = making.join().unwrap().unwrap();
        assert!(made.status.is_archived(), "{}", made.status);
    });
    assert!(!row.path.exists());
    assert_eq!(world.worktrees(repository).len(), 1);
    assert!(!world.events().contains(&"workspace.ready".to_owned()));
}

#[test]
fn an_archive_that_was_cut_off_goes_on() {
    let mut world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Cut");
    workspaces::archive(world.store(), row.id, Some(DeleteBranch::Empty), Caller::Person, None)
        .unwrap();
    world.restart();
    let pending = world.store().read(workspaces::pending).unwrap();
    assert_eq!(pending[0].status, Status::Archiving);
    let cleaned = world.clean_up(row.id);
    assert_eq!((cleaned.kept, cleaned.branch_kept), (None, None));
    assert_eq!(world.branches(&project.path), ["main"]);
    assert!(!row.path.exists());
    assert!(world.store().read(workspaces::pending).unwrap().is_empty());
}

#[test]
fn work_is_saved_and_restored() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Work");
    let nothing = world.ready(&project, "Nothing");
    world.git(&["checkout", "-q", "--detach"], &row.path);
    let head = world.commit(&row.path, "committed.txt", "committed");
    world.write(row.path.join("README.md"), "changed");
    world.write(row.path.join("new.txt"), "new");
    let machine = world.machine();
    let lost = workspaces::would_lose(world.store(), &machine, row.id, &Cancel::new()).unwrap();
    assert_eq!((lost.dirty.count, lost.unpushed, lost.saved), (2, 1, None));
    assert!(row.path.exists());
    let cleaned = world.archived(row.id);
    assert!(cleaned.lost.unwrap().saved.is_some());
    let restore = |id, name: Option<&str>| {
        let name = name.map(str::to_owned);
        let (store, cancel) = (world.store(), Cancel::new());
        workspaces::restore_work(store, &machine, id, None, name, Caller::Person, &cancel)
    };
    let restored = restore(row.id, None).unwrap();
    let restored = world.materialize(restored.id);
    assert_eq!(restored.error, None);
    assert_eq!(restored.name.as_str(), "Work (2)");
    assert_eq!(world.git(&["rev-parse", "HEAD"], &restored.path), head);
    let status = world.git(&["status", "--porcelain"], &restored.path);
    assert_eq!(status.lines().map(str::trim).collect::<Vec<_>>(), ["M README.md", "?? new.txt"]);
    assert_eq!(fs::read_to_string(restored.path.join("new.txt")).unwrap(), "new");
    world.archived(nothing.id);
    assert_eq!(restore(nothing.id, None).unwrap_err().code(), "nothing_saved");
    assert_eq!(restore(restored.id, None).unwrap_err().code(), "workspace_not_ready");
}

#[test]
fn late_cleanup() {
    let world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    let old = world.ready(&project, "Old");
    let (archived, due) = projects::archive(world.store(), project.id, None).unwrap();
    assert!(archived.archived_at.is_some());
    assert_eq!(due.iter().map(|row| row.id).collect::<Vec<_>>(), [old.id]);
    // Again by who did not hear of it, looking at what it was before.
    let again = projects::archive(world.store(), project.id, Some(project.version)).unwrap();
    assert_eq!(again, (archived, vec![]));
    let restored = world.project(&repository);
    assert_eq!((restored.id, restored.archived_at), (project.id, None));
    let new = world.ready(&restored, "New");
    assert_eq!(world.clean_up(old.id).workspace.status, Status::Archived);
    assert!(!old.path.exists());
    assert!(new.path.join("README.md").exists());
    let after = world.store().read(|read| projects::get(read, project.id)).unwrap();
    assert_eq!(after, restored);
}

#[test]
fn observer_writes() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Watched");
    let store = world.store();
    let mut news = store.subscribe();
    thread::scope(|scope| {
        // Told of the archive, it writes to the store by itself.
        let observer = scope.spawn(|| {
            assert!(news.wait(Duration::from_mins(1)));
            let name = Name::new("Seen").unwrap();
            projects::rename(store, project.id, name, Caller::Person, None)
        });
        workspaces::archive(store, row.id, None, Caller::Person, None).unwrap();
        assert_eq!(world.clean_up(row.id).workspace.status, Status::Archived);
        let renamed = observer.join().unwrap().unwrap();
        assert_eq!(renamed.name.as_str(), "Seen");
    });
    assert!(!row.path.exists());
}

/// A store that reads and whose writes fail.
struct Failing<'a>(&'a Store);

impl Transact for Failing<'_> {
    fn write<T, E>(
        &self,
        _operation: impl Fn(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<store::Error> + Send + 'static,
    {
        Err(store::Error::Failed { why: "the disk is broken".into() }.into())
    }

    fn clock(&self) -> &dyn Clock {
        self.0.clock()
    }

    fn read<T, E>(&self, look: impl FnOnce(&ReadTx) -> Result<T, E>) -> Result<T, E>
    where
        E: From<store::Error>,
    {
        self.0.read(look)
    }
}

#[test]
fn storage_fails() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Broken");
    world.write(row.path.join("work.txt"), "work");
    workspaces::archive(world.store(), row.id, None, Caller::Person, None).unwrap();
    let (failing, machine) = (Failing(world.store()), world.machine());
    let failed = workspaces::clean_up(&failing, &machine, row.id, &Cancel::new()).unwrap_err();
    assert_eq!(failed.code(), "store_failed");
    // That the work is saved could not be stored, so nothing was deleted.
    assert_eq!(fs::read_to_string(row.path.join("work.txt")).unwrap(), "work");
    let stored = world.row(row.id);
    assert_eq!((stored.status, stored.error), (Status::Archiving, None));
    let cleaned = world.clean_up(row.id);
    assert_eq!(cleaned.workspace.status, Status::Archived);
    assert!(cleaned.workspace.saved.is_some());
    assert!(!row.path.exists());
}

#[test]
fn records_and_index_rows_agree_after_a_whole_life() {
    let world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    let (one, two) = (world.ready(&project, "One"), world.ready(&project, "Two"));
    world.reserve(&project, "Three");
    world.renamed(one.id, "Renamed");
    workspaces::reorder(world.store(), one.id, None, None).unwrap();
    world.archived(two.id);
    let name = Name::new("Other").unwrap();
    projects::rename(world.store(), project.id, name, Caller::Person, None).unwrap();
    let checked = || world.store().check(rig_git::TABLES, &[&rig_git::agree]).unwrap();
    assert_eq!(checked(), []);
    // And a row that is gone is found.
    let key = (project.id, "renamed".to_owned());
    world.store().write(move |tx| tx.remove(NAMES, &key)).unwrap();
    assert_eq!(checked()[0].what, "a record has no such row in this index");
}

#[test]
fn only_a_ready_workspace_whose_folder_is_there_can_be_worked_in() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let folder = |row: &Workspace| {
        let folder = workspaces::working_folder(row, &Cancel::new());
        folder.map(std::path::Path::to_owned).map_err(|error| (error.code(), error.to_string()))
    };
    let reserved = world.reserve(&project, "Mine");
    let (code, told) = folder(&reserved).unwrap_err();
    assert_eq!(code, "workspace_not_ready");
    assert!(told.contains("\"Mine\" is initializing still"), "{told}");
    let ready = world.materialize(reserved.id);
    assert_eq!(folder(&ready).unwrap(), *ready.path);
    fs::remove_dir_all(&ready.path).unwrap();
    assert_eq!(folder(&ready).unwrap_err().0, "workspace_folder_missing");
    assert!(!ready.path.exists());
    let archived = world.archived(ready.id).workspace;
    assert_eq!(folder(&archived).unwrap_err().0, "workspace_not_ready");
    assert!(!archived.path.exists());
}

#[test]
fn a_removal_that_cannot_be_noted_leaves_the_row_to_be_cleaned_up() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Full");
    workspaces::archive(world.store(), row.id, None, Caller::Person, None).unwrap();
    // What a full disk does, too: nothing can be written into the folder of notes.
    let notes = world.write(world.state().join("removing"), "");
    let machine = world.machine();
    let failed = workspaces::clean_up(world.store(), &machine, row.id, &Cancel::new());
    assert_eq!(failed.unwrap_err().code(), "store_failed");
    assert_eq!(world.row(row.id).status, Status::Archiving);
    assert!(row.path.join("README.md").exists());
    fs::remove_file(notes).unwrap();
    let cleaned = world.clean_up(row.id);
    assert_eq!((cleaned.workspace.status, cleaned.kept), (Status::Archived, None));
    assert!(!row.path.exists());
}

#[test]
fn unclear_stat() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let ready = world.ready(&project, "Unclear");
    // A name that no file system takes cannot be looked at: that proves nothing, so it is not gone.
    let long = ready.path.join("x".repeat(300));
    let unclear = Workspace { path: long.into(), ..ready };
    let looked = workspaces::working_folder(&unclear, &Cancel::new());
    assert_eq!(looked.unwrap_err().code(), "path_inaccessible");
}
