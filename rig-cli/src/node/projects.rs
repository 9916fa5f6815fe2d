use rig_core::name::Name;
use rig_core::project::Project;
use rig_core::store::Transact as _;
use rig_git::projects;

use super::error::{Error, Result};
use super::leader::{Handle, Session};
use crate::operations::{
    AddProject, ArchiveProject, ArchivedProject, FindProject, ListProjects, MoveProject,
    ProjectReply, Projects, RenameProject, WorkspaceReply,
};

impl Handle<AddProject> for Session {
    fn handle(&self, asked: AddProject) -> Result<ProjectReply> {
        let project = projects::add(self.store(), self.machine()?, &asked.path, asked.id)?;
        Ok(project.into())
    }
}

impl Handle<FindProject> for Session {
    fn handle(&self, asked: FindProject) -> Result<ProjectReply> {
        let store = self.store();
        let selector = asked.project.as_ref().map(|project| project.as_os_str());
        let known = store
            .read(|read| projects::find(read, selector.unwrap_or(".".as_ref()), &asked.folder));
        let project = match known {
            Ok(project) if project.archived_at.is_none() || !asked.register => project,
            Ok(_) | Err(rig_git::Error::ProjectNotFound { .. }) if asked.register => {
                projects::meant(store, self.machine()?, &asked.folder, selector)?
            }
            other => other?,
        };
        Ok(project.into())
    }
}

impl Handle<ListProjects> for Session {
    fn handle(&self, asked: ListProjects) -> Result<Projects> {
        let folder = asked.folder.as_deref();
        let (listed, current) = self.store().read(|read| {
            let current = match folder {
                Some(folder) => projects::around(read, folder)?.map(|project| project.id),
                None => None,
            };
            Ok::<_, Error>((projects::list(read, asked.all)?, current))
        })?;
        let shown = |project: Project| {
            let current = folder.map(|_| Some(project.id) == current);
            ProjectReply { current, ..project.into() }
        };
        Ok(Projects { projects: listed.into_iter().map(shown).collect() })
    }
}

impl Handle<RenameProject> for Session {
    fn handle(&self, asked: RenameProject) -> Result<ProjectReply> {
        let name = Name::new(&asked.name).map_err(rig_git::Error::from)?;
        let (id, expected) = (asked.project_id, asked.expected_version);
        Ok(projects::rename(self.store(), id, name, self.caller, expected)?.into())
    }
}

impl Handle<MoveProject> for Session {
    fn handle(&self, asked: MoveProject) -> Result<ProjectReply> {
        let MoveProject { project_id, after, expected_version } = asked;
        Ok(projects::reorder(self.store(), project_id, after, expected_version)?.into())
    }
}

impl Handle<ArchiveProject> for Session {
    fn handle(&self, asked: ArchiveProject) -> Result<ArchivedProject> {
        let (project, due) =
            projects::archive(self.store(), asked.project_id, asked.expected_version)?;
        self.core.works.look_again();
        let due = due.into_iter().map(|row| WorkspaceReply::new(row, None, Some(&self.core.state)));
        Ok(ArchivedProject { project: project.into(), workspaces: due.collect() })
    }
}
