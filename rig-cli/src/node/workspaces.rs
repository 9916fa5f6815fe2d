use rig_core::id::WorkspaceId;
use rig_core::store::Transact as _;
use rig_core::workspace::Workspace;
use rig_git::{projects, workspaces};

use super::error::{Error, Result};
use super::leader::{Handle, Session};
use crate::operations::{
    CreateWorkspace, FindWorkspace, FoundWorkspace, ListWorkspaces, MoveWorkspace, RenameWorkspace,
    RestoreWork, RetryWorkspace, ShowWorkspace, SyncWorkspace, SyncedPath, SyncedWorkspace,
    WorkspaceReply, Workspaces,
};

impl Session {
    fn row(&self, id: WorkspaceId) -> Result<Workspace> {
        Ok(self.store().read(|read| workspaces::get(read, id))?)
    }

    /// Rows with what is seen in their folders right now.
    fn seen(&self, rows: Vec<Workspace>) -> Result<Vec<WorkspaceReply>> {
        let machine = self.machine()?;
        let looks = workspaces::look(machine, &rows);
        let seen: Vec<_> = rows.into_iter().zip(looks).collect();
        workspaces::keep_seen(self.store(), machine, &seen)?;
        let shown = |(row, look)| WorkspaceReply::new(row, Some(look), Some(&self.core.state));
        Ok(seen.into_iter().map(shown).collect())
    }

    /// A row with what is seen in its folder right now.
    pub(super) fn look(&self, row: Workspace) -> Result<WorkspaceReply> {
        let machine = self.machine()?;
        let look = workspaces::look(machine, std::slice::from_ref(&row)).pop();
        if let Some(look) = &look {
            workspaces::keep_seen(self.store(), machine, &[(row.clone(), look.clone())])?;
        }
        Ok(WorkspaceReply::new(row, look, Some(&self.core.state)))
    }
}

impl Handle<CreateWorkspace> for Session {
    /// Reserves only: its folder is made in the background.
    fn handle(&self, asked: CreateWorkspace) -> Result<WorkspaceReply> {
        let new = workspaces::NewWorkspace {
            project: asked.project_id,
            id: asked.id,
            name: asked.name,
            base: asked.base_ref,
            caller: self.caller,
        };
        let row = workspaces::create(self.store(), self.machine()?, new, &self.cancel)?;
        self.core.works.look_again();
        self.look(row)
    }
}

impl Handle<FindWorkspace> for Session {
    fn handle(&self, asked: FindWorkspace) -> Result<FoundWorkspace> {
        let found = self.store().read(|read| {
            let project = match &asked.project {
                Some(project) => Some(projects::find(read, project.as_os_str(), &asked.folder)?),
                None => projects::around(read, &asked.folder)?,
            };
            let project = project.map(|project| project.id);
            let row = workspaces::find(read, project, asked.workspace.as_os_str(), &asked.folder)?;
            Ok::<_, Error>(row)
        })?;
        Ok(found.into())
    }
}

impl Handle<ShowWorkspace> for Session {
    fn handle(&self, asked: ShowWorkspace) -> Result<WorkspaceReply> {
        self.look(self.row(asked.workspace_id)?)
    }
}

impl Handle<ListWorkspaces> for Session {
    fn handle(&self, asked: ListWorkspaces) -> Result<Workspaces> {
        let rows = self.store().read(|read| workspaces::list(read, asked.project_id, asked.all))?;
        Ok(Workspaces { workspaces: self.seen(rows)? })
    }
}

impl Handle<RenameWorkspace> for Session {
    /// Renames the row only: git's branch follows in the background.
    fn handle(&self, asked: RenameWorkspace) -> Result<WorkspaceReply> {
        let row = workspaces::rename(
            self.store(),
            self.machine()?,
            asked.workspace_id,
            &asked.name,
            self.caller,
            asked.expected_version,
        )?;
        self.core.works.look_again();
        self.look(row)
    }
}

impl Handle<MoveWorkspace> for Session {
    fn handle(&self, asked: MoveWorkspace) -> Result<WorkspaceReply> {
        let MoveWorkspace { workspace_id, after, expected_version } = asked;
        self.look(workspaces::reorder(self.store(), workspace_id, after, expected_version)?)
    }
}

impl Handle<RetryWorkspace> for Session {
    /// Puts the row back only: it goes on in the background.
    fn handle(&self, asked: RetryWorkspace) -> Result<WorkspaceReply> {
        let row = workspaces::retry(self.store(), asked.workspace_id, self.caller)?;
        self.core.works.retry(row.id);
        self.look(row)
    }
}

impl Handle<RestoreWork> for Session {
    /// Reserves only: its folder is made in the background, and the work laid over it.
    fn handle(&self, asked: RestoreWork) -> Result<WorkspaceReply> {
        let RestoreWork { workspace_id, name, id } = asked;
        let (machine, caller) = (self.machine()?, self.caller);
        let row = workspaces::restore_work(
            self.store(),
            machine,
            workspace_id,
            id,
            name,
            caller,
            &self.cancel,
        )?;
        self.core.works.look_again();
        self.look(row)
    }
}

impl Handle<SyncWorkspace> for Session {
    fn handle(&self, asked: SyncWorkspace) -> Result<SyncedWorkspace> {
        let SyncWorkspace { workspace_id, dry_run } = asked;
        let machine = self.machine()?;
        let report =
            workspaces::sync_now(self.store(), machine, workspace_id, dry_run, &self.cancel)?;
        let synced = report.paths.into_iter().map(|path| SyncedPath::new(workspace_id, path));
        Ok(SyncedWorkspace { paths: synced.collect() })
    }
}
