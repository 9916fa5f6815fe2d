//! Renames, and the branches that follow them.

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::id::{AgentId, WorkspaceId};
use rig_core::store::Transact as _;
use rig_core::workspace::Workspace;
use rig_git::Result;
use rig_git::progress::Progress;
use rig_git::workspaces::{self, NewWorkspace, TakenNames};

use crate::life::named;
use crate::world::World;

fn rename(world: &World, row: &Workspace, name: &str, caller: Caller) -> Result<Workspace> {
    workspaces::rename(world.store(), &world.machine(), row.id, name, caller, None)
}

fn branch(world: &World, row: &Workspace) -> String {
    world.git(&["branch", "--show-current"], &row.path)
}

#[test]
fn the_branch_follows_and_the_folder_stays() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Old name");
    let renamed = world.renamed(row.id, "New name");
    assert_eq!(renamed.branch, "worktree/new-name");
    assert_eq!(renamed.actual_branch, None);
    assert_eq!(branch(&world, &row), "worktree/new-name");
    assert_eq!((renamed.path, renamed.storage_key), (row.path.clone(), row.storage_key.clone()));
    assert_eq!(world.branches(&project.path), ["main", "worktree/new-name"]);
    // The same slug leaves the branch as it is.
    let renamed = world.renamed(row.id, "NEW NAME!");
    assert_eq!(
        (renamed.name.as_str(), branch(&world, &row).as_str()),
        ("NEW NAME!", "worktree/new-name")
    );
}

#[test]
fn renames_in_a_row_converge_on_the_last() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "a");
    for name in ["b", "c", "a", "d"] {
        rename(&world, &row, name, Caller::Person).unwrap();
    }
    let machine = world.machine();
    let row = workspaces::move_branch(world.store(), &machine, row.id, &Cancel::new()).unwrap();
    assert_eq!(row.branch, "worktree/d");
    assert_eq!(world.branches(&project.path), ["main", "worktree/d"]);
    // And back to where git is already: nothing is left to do.
    rename(&world, &row, "e", Caller::Person).unwrap();
    let back = rename(&world, &row, "d", Caller::Person).unwrap();
    assert_eq!((back.branch.as_str(), back.actual_branch), ("worktree/d", None));
}

#[test]
fn other_branch() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Mine");
    world.git(&["switch", "-q", "-c", "feature"], &row.path);
    let renamed = world.renamed(row.id, "Theirs");
    assert_eq!((renamed.name.as_str(), renamed.branch.as_str()), ("Theirs", "worktree/mine"));
    assert_eq!(world.branches(&project.path), ["feature", "main", "worktree/mine"]);
    assert!(renamed.warnings[0].contains("HEAD is on feature"), "{:?}", renamed.warnings);
    assert!(world.events().contains(&"workspace.branch_kept".to_owned()));
}

#[test]
fn a_locked_configuration_does_not_part_the_record_from_the_branch() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Old");
    world.write(project.path.join(".git/config.lock"), "");
    let renamed = world.renamed(row.id, "New");
    assert_eq!((renamed.branch.as_str(), renamed.actual_branch), ("worktree/new", None));
    assert_eq!(branch(&world, &row), "worktree/new");
}

#[test]
fn a_detached_head_or_a_merge_under_way_keeps_the_branch() {
    let world = World::new();
    let repository = world.repository("proj");
    let project = world.project(&repository);
    let detached = world.ready(&project, "Detached");
    world.git(&["checkout", "-q", "--detach"], &detached.path);
    assert_eq!(world.renamed(detached.id, "Other").branch, "worktree/detached");
    let merging = world.ready(&project, "Merging");
    world.commit(&merging.path, "file.txt", "ours");
    world.commit(&repository, "file.txt", "theirs");
    assert!(!world.try_git(&["merge", "main"], &merging.path).status.success());
    let renamed = world.renamed(merging.id, "Another");
    assert_eq!(renamed.branch, "worktree/merging");
    assert!(renamed.warnings[0].contains("merge is under way"), "{:?}", renamed.warnings);
}

#[test]
fn rename_in_checkout() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Before");
    let mut renamed = false;
    let rename_in_the_middle = &mut |progress: Progress<'_>| {
        if matches!(progress, Progress::Waiting) && !renamed {
            renamed = true;
            rename(&world, &row, "After", Caller::Person).unwrap();
        }
    };
    let cancel = Cancel::new();
    let machine = world.machine();
    let row =
        workspaces::materialize(world.store(), &machine, row.id, rename_in_the_middle, &cancel)
            .unwrap();
    assert_eq!(row.status.to_string(), "ready");
    assert_eq!(row.branch, "worktree/after");
    assert_eq!(branch(&world, &row), "worktree/after");
    assert_eq!(world.branches(&project.path), ["main", "worktree/after"]);
}

#[test]
fn a_rename_before_the_checkout_chooses_the_branch_that_is_added() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.reserve(&project, "Before");
    rename(&world, &row, "After", Caller::Person).unwrap();
    let row = world.materialize(row.id);
    assert_eq!((row.branch.as_str(), row.storage_key.as_str()), ("worktree/after", "before"));
    assert_eq!(world.branches(&project.path), ["main", "worktree/after"]);
}

fn take_title(world: &World, id: WorkspaceId, title: &'static str) -> Workspace {
    let taken = TakenNames::around(world.store(), &world.machine(), id).unwrap();
    world.store().write(move |tx| workspaces::take_title(tx, id, title, &taken)).unwrap()
}

#[test]
fn two_titles() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let unnamed = || NewWorkspace { name: None, ..named(project.id, "") };
    let first = world.materialize(world.try_reserve(unnamed()).unwrap().id);
    let second = world.try_reserve(unnamed()).unwrap();
    assert_eq!((first.name.as_str(), second.name.as_str()), ("Workspace", "Workspace (2)"));
    let machine = world.machine();
    for row in [&first, &second] {
        take_title(&world, row.id, "X");
        workspaces::move_branch(world.store(), &machine, row.id, &Cancel::new()).unwrap();
    }
    let second = world.materialize(second.id);
    assert_eq!(world.row(first.id).name.as_str(), "X");
    assert_eq!(second.name.as_str(), "X (2)");
    assert_eq!(world.branches(&project.path), ["main", "worktree/x", "worktree/x-2"]);
    // A later title changes nothing.
    let later = take_title(&world, first.id, "Later");
    assert_eq!(later.name.as_str(), "X");
}

#[test]
fn person_first() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.try_reserve(NewWorkspace { name: None, ..named(project.id, "") }).unwrap();
    rename(&world, &row, "By hand", Caller::Person).unwrap();
    let row = take_title(&world, row.id, "Title");
    assert_eq!(row.name.as_str(), "By hand");
}

#[test]
fn agents_rename_what_is_theirs_until_a_person_named_it() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let (owner, other) = (Caller::Agent(AgentId::generate()), Caller::Agent(AgentId::generate()));
    let new = NewWorkspace { caller: owner, ..named(project.id, "Agent's") };
    let row = world.try_reserve(new).unwrap();
    let refused = rename(&world, &row, "Mine", other).unwrap_err();
    assert_eq!(refused.code(), "not_owner");
    assert_eq!(rename(&world, &row, "Again", owner).unwrap().name.as_str(), "Again");
    rename(&world, &row, "By hand", Caller::Person).unwrap();
    let refused = rename(&world, &row, "Third", owner).unwrap_err();
    assert_eq!(refused.code(), "named_by_person");
    assert!(refused.to_string().contains("By hand"));
    let archived = workspaces::archive(world.store(), row.id, None, other, None);
    assert_eq!(archived.unwrap_err().code(), "not_owner");
    assert_eq!(workspaces::retry(world.store(), row.id, other).unwrap_err().code(), "not_owner");
}

#[test]
fn what_is_archived_keeps_its_name_for_ever() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Once");
    world.archived(row.id);
    assert_eq!(
        rename(&world, &row, "Other", Caller::Person).unwrap_err().code(),
        "workspace_not_ready"
    );
    let again = world.ready(&project, "Once");
    assert_eq!((again.name.as_str(), again.storage_key.as_str()), ("Once (2)", "once-2"));
    assert_eq!(again.branch, "worktree/once-2");
}

#[test]
fn a_branch_changed_inside_is_told_and_taken_over_when_the_recorded_one_is_gone() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let row = world.ready(&project, "Mine");
    let look = |row: &Workspace| {
        let looks = workspaces::look(&world.machine(), std::slice::from_ref(row));
        let seen = [(row.clone(), looks[0].clone())];
        workspaces::keep_seen(world.store(), &world.machine(), &seen).unwrap();
        looks[0].clone()
    };
    let told = || world.events().iter().filter(|k| *k == "workspace.branch_changed").count();
    assert_eq!(look(&row).current_branch.as_deref(), Some("worktree/mine"));
    assert_eq!(told(), 0);
    world.git(&["switch", "-q", "-c", "feature"], &row.path);
    assert_eq!(look(&row).current_branch.as_deref(), Some("feature"));
    look(&world.row(row.id));
    assert_eq!(told(), 1);
    assert_eq!(world.row(row.id).branch, "worktree/mine");
    world.git(&["checkout", "-q", "--detach"], &row.path);
    assert!(look(&world.row(row.id)).detached);
    assert_eq!(told(), 2);
    world.git(&["branch", "-q", "-D", "worktree/mine"], &row.path);
    world.git(&["switch", "-q", "feature"], &row.path);
    look(&world.row(row.id));
    assert_eq!(world.row(row.id).branch, "feature");
}

#[test]
fn a_recorded_branch_that_goes_after_head_left_it_is_noticed_once() {
    let world = World::new();
    let project = world.project(&world.repository("proj"));
    let (mine, theirs) = (world.ready(&project, "Mine"), world.ready(&project, "Theirs"));
    let look = |id| {
        let row = world.row(id);
        let looks = workspaces::look(&world.machine(), std::slice::from_ref(&row));
        let seen = [(row, looks[0].clone())];
        workspaces::keep_seen(world.store(), &world.machine(), &seen).unwrap();
        world.row(id)
    };
    world.git(&["switch", "-q", "-c", "feature"], &mine.path);
    assert_eq!(look(mine.id).branch, "worktree/mine");
    world.git(&["branch", "-q", "-D", "worktree/mine"], &mine.path);
    assert_eq!(look(mine.id).branch, "feature");
    // A branch that another row holds is not taken over, and telling so once is enough.
    world.git(&["switch", "-q", "-c", "elsewhere"], &theirs.path);
    world.git(&["branch", "-q", "-D", "worktree/theirs"], &theirs.path);
    world.git(&["checkout", "-q", "--ignore-other-worktrees", "feature"], &theirs.path);
    assert_eq!(look(theirs.id).branch, "worktree/theirs");
    let events = world.events().len();
    assert_eq!(look(theirs.id).branch, "worktree/theirs");
    assert_eq!(world.events().len(), events);
}
