//! What a workspace's life is made of, in short words for the tests.

use std::ops::Bound;
use std::path::Path;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::project::Project;
use rig_core::store::{Read as _, Transact as _};
use rig_core::workspace::{StepName, Workspace};
use rig_git::workspaces::{self, Cleaned, NewWorkspace};
use rig_git::{Machine, Result, projects};
use serde_json::Value;

use crate::world::World;

/// A workspace to create, named by the person.
pub(crate) fn named(project: ProjectId, name: &str) -> NewWorkspace {
    NewWorkspace {
        project,
        id: None,
        name: Some(name.to_owned()),
        base: None,
        caller: Caller::Person,
    }
}

#[allow(dead_code)] // Each subject uses its part.
impl World {
    pub(crate) fn project(&self, path: &Path) -> Project {
        projects::add(self.store(), &self.machine(), path, None).unwrap()
    }

    pub(crate) fn reserve(&self, project: &Project, name: &str) -> Workspace {
        self.try_reserve(named(project.id, name)).unwrap()
    }

    pub(crate) fn try_reserve(&self, new: NewWorkspace) -> Result<Workspace> {
        workspaces::create(self.store(), &self.machine(), new, &Cancel::new())
    }

    pub(crate) fn reserve_from(&self, project: &Project, base: &str) -> Result<Workspace> {
        self.try_reserve(NewWorkspace { base: Some(base.to_owned()), ..named(project.id, "Base") })
    }

    pub(crate) fn materialize(&self, id: WorkspaceId) -> Workspace {
        self.materialize_on(&self.machine(), id)
    }

    pub(crate) fn materialize_on(&self, machine: &Machine, id: WorkspaceId) -> Workspace {
        let cancel = Cancel::new();
        workspaces::materialize(self.store(), machine, id, &mut |_| {}, &cancel).unwrap()
    }

    /// A workspace that is made, whether it became ready or failed.
    pub(crate) fn made(&self, project: &Project, name: &str) -> Workspace {
        self.materialize(self.reserve(project, name).id)
    }

    /// A workspace that is ready.
    #[track_caller]
    pub(crate) fn ready(&self, project: &Project, name: &str) -> Workspace {
        let row = self.made(project, name);
        assert_eq!(row.error, None);
        assert_eq!(row.status.to_string(), "ready");
        row
    }

    pub(crate) fn retried(&self, id: WorkspaceId) -> Workspace {
        workspaces::retry(self.store(), id, Caller::Person).unwrap();
        self.materialize(id)
    }

    pub(crate) fn row(&self, id: WorkspaceId) -> Workspace {
        self.store().read(|read| workspaces::get(read, id)).unwrap()
    }

    pub(crate) fn rows(&self, project: &Project) -> Vec<Workspace> {
        self.store().read(|read| workspaces::list(read, project.id, true)).unwrap()
    }

    pub(crate) fn archived(&self, id: WorkspaceId) -> Cleaned {
        workspaces::archive(self.store(), id, None, Caller::Person, None).unwrap();
        self.clean_up(id)
    }

    pub(crate) fn clean_up(&self, id: WorkspaceId) -> Cleaned {
        workspaces::clean_up(self.store(), &self.machine(), id, &Cancel::new()).unwrap()
    }

    /// Renames, and lets the branch follow.
    pub(crate) fn renamed(&self, id: WorkspaceId, name: &str) -> Workspace {
        let machine = self.machine();
        workspaces::rename(self.store(), &machine, id, name, Caller::Person, None).unwrap();
        workspaces::move_branch(self.store(), &machine, id, &Cancel::new()).unwrap()
    }

    /// The kinds of all events, the oldest first.
    pub(crate) fn events(&self) -> Vec<String> {
        let kind = |event: Value| event["type"].as_str().unwrap_or_default().to_owned();
        self.journal().into_iter().map(kind).collect()
    }

    /// All events, the oldest first.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let all = (Bound::Unbounded, Bound::Unbounded);
        let rows = self.store().read(|read| read.raw_page("core/journal", all, usize::MAX, false));
        rows.unwrap().iter().map(|(_, row)| serde_json::from_slice(&row[1..]).unwrap()).collect()
    }

    /// The local branches of a repository.
    pub(crate) fn branches(&self, repository: &Path) -> Vec<String> {
        let listed =
            self.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"], repository);
        listed.lines().map(str::to_owned).collect()
    }

    /// The folders that git lists as worktrees, the main one first.
    pub(crate) fn worktrees(&self, repository: &Path) -> Vec<String> {
        let listed = self.git(&["worktree", "list", "--porcelain"], repository);
        listed
            .lines()
            .filter_map(|line| line.strip_prefix("worktree "))
            .map(str::to_owned)
            .collect()
    }
}

/// The outcome of each step that ended, as text, such as `checkout done`.
pub(crate) fn steps(row: &Workspace) -> Vec<String> {
    let text = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    row.steps
        .iter()
        .map(|step| {
            let name = text(serde_json::to_value(step.step).unwrap());
            let outcome = text(serde_json::to_value(step.outcome).unwrap());
            match step.index {
                Some(index) if step.step == StepName::Setup => format!("{name} {index} {outcome}"),
                _ => format!("{name} {outcome}"),
            }
        })
        .collect()
}
