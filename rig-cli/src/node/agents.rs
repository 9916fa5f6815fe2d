use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rig_core::agent::{self, Agent, NewAgent};
use rig_core::caller::Caller;
use rig_core::clock::Now;
use rig_core::config::{AgentsConfig, Sources};
use rig_core::id::{AgentId, ProjectId, WorkspaceId};
use rig_core::store::Transact as _;
use rig_git::workspaces::TakenNames;
use rig_git::{projects, workspaces};
use rig_sched::waits;

use super::error::{Error, Result};
use super::leader::{Handle, Session};
use crate::operations::{
    AgentArchive, AgentNew, AgentReply, AgentTitle, AgentToken, ArchivedAgent, TitledAgent,
};

impl Session {
    /// The agent that is calling.
    pub(super) fn agent(&self) -> Result<AgentId> {
        let what = "mailbox, ID or title of this kind";
        self.caller.agent().ok_or_else(|| agent::Error::NotAnAgent { what }.into())
    }

    /// The agent that is named, or the caller.
    fn named(&self, id: Option<&String>) -> Result<AgentId> {
        id.map_or_else(|| self.agent(), |id| parsed(id))
    }

    /// The clock, read once for an operation.
    pub(super) fn now(&self) -> Now {
        Now::read(self.store().clock())
    }

    /// The name of the caller's view of the disk.
    pub(super) fn disk(&self) -> Result<String> {
        if let Some(disk) = &self.disk {
            return Ok(disk.clone());
        }
        match self.caller.agent() {
            Some(caller) => Ok(self.store().read(|r| agent::get(r, caller))?.disk),
            None => Ok(self.core.environment.disk()),
        }
    }

    /// Where the homes of agents are.
    pub(super) fn homes(&self) -> PathBuf {
        self.core.state.join("homes")
    }

    /// What the configuration says of agents, in this folder.
    pub(super) fn agents_config(&self, folder: Option<&Path>) -> Result<AgentsConfig> {
        let environment = &self.core.environment;
        let user_file = environment.user_config()?;
        let project = folder.map(|folder| self.store().read(|r| projects::around(r, folder)));
        // A folder that cannot be looked at has no project of its own.
        let root = project.and_then(std::result::Result::ok).flatten().map(|found| found.path);
        let sources = Sources {
            user_file: Some(&user_file),
            root: root.as_deref(),
            environment: environment.variables(),
            ..Sources::default()
        };
        Ok(sources.load()?.config.agents)
    }

    /// The folder that is an agent's home is made again if it is gone.
    pub(super) fn make_home(&self, agent: &Agent) -> Result<()> {
        if agent.cwd.is_some() {
            return Ok(());
        }
        let path = self.homes().join(agent.home.to_string());
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(|source| Error::State { path, source })
    }

    /// The workspace and the project that a folder is in, or those of a workspace.
    fn place_of(
        &self,
        folder: Option<&Path>,
        given: Option<WorkspaceId>,
    ) -> Result<(Option<WorkspaceId>, Option<ProjectId>)> {
        let read = |id| self.store().read(|r| workspaces::get(r, id));
        if let Some(row) = given.map(read).transpose()? {
            return Ok((Some(row.id), Some(row.project)));
        }
        let Some(folder) = folder else { return Ok((None, None)) };
        // A folder that cannot be looked at is in none.
        let found = self.store().read(|r| workspaces::find(r, None, ".".as_ref(), folder));
        if let Ok(row) = found {
            return Ok((Some(row.id), Some(row.project)));
        }
        let project = self.store().read(|r| projects::around(r, folder)).ok().flatten();
        Ok((None, project.map(|project| project.id)))
    }

    /// What names are taken around a workspace that an agent's title may go to.
    fn taken_around(&self, workspace: Option<WorkspaceId>) -> Option<TakenNames> {
        // A workspace that cannot be looked at keeps its placeholder.
        let around = |id| TakenNames::around(self.store(), self.machine().ok()?, id).ok();
        workspace.and_then(around)
    }
}

/// An agent's ID as it was given.
pub(super) fn parsed(id: &str) -> Result<AgentId> {
    Ok(id.parse::<AgentId>().map_err(agent::Error::from)?)
}

/// An agent's title, as it is told.
pub(super) fn title_of(agent: &Agent) -> Option<String> {
    agent.title.as_ref().map(ToString::to_string)
}

impl From<Agent> for AgentReply {
    fn from(agent: Agent) -> Self {
        Self {
            agent_id: agent.id,
            session_id: agent.session,
            title: title_of(&agent),
            parent_agent_id: agent.parent,
            depth: agent.depth,
        }
    }
}

impl Handle<AgentNew> for Session {
    fn handle(&self, asked: AgentNew) -> Result<AgentReply> {
        let id = parsed(&asked.agent_id)?;
        let parent = match (&asked.parent, self.caller) {
            (None, _) => None,
            (Some(parent), Caller::Person) => {
                Some(self.store().read(|r| agent::meant(r, parent))?.id)
            }
            (Some(parent), Caller::Agent(_)) => Some(parsed(parent)?),
        };
        let known = self.store().read(|r| match agent::get(r, id) {
            Ok(agent) => Ok(Some((agent.workspace, agent.project))),
            Err(agent::Error::AgentNotFound { .. }) => Ok(None),
            Err(other) => Err(other),
        })?;
        let (workspace, project) = match (known, asked.workspace_id) {
            // Asked again, it is for the workspace that its folder was in.
            (Some(known), None) => known,
            (_, given) => self.place_of(asked.cwd.as_deref(), given)?,
        };
        let max_depth = self.agents_config(asked.cwd.as_deref())?.max_depth;
        let new = NewAgent {
            id,
            token: Some(asked.token_digest),
            title: asked.title.as_deref().map(agent::title).transpose()?,
            parent,
            cwd: asked.cwd,
            disk: asked.disk,
            workspace,
            project,
        };
        let taken = self.taken_around(workspace.filter(|_| new.title.is_some()));
        let (now, caller) = (self.now(), self.caller);
        let agent = self.store().write(move |tx| {
            let registered = agent::register(tx, now, caller, &new, max_depth)?;
            if let (Some(first), Some(taken)) = (&registered.first_title, &taken) {
                workspaces::take_title(tx, first.workspace, first.title.as_str(), taken)?;
            }
            Ok::<_, Error>(registered.agent)
        })?;
        self.make_home(&agent)?;
        self.core.works.look_again();
        Ok(agent.into())
    }
}

impl Handle<AgentToken> for Session {
    fn handle(&self, asked: AgentToken) -> Result<AgentReply> {
        let (id, caller) = (self.named(asked.agent_id.as_ref())?, self.caller);
        let digest = asked.token_digest;
        let agent = self.store().write(move |tx| {
            agent::replace_tokens(tx, caller, id, digest)?;
            agent::get(tx, id)
        })?;
        Ok(agent.into())
    }
}

impl Handle<AgentTitle> for Session {
    fn handle(&self, asked: AgentTitle) -> Result<TitledAgent> {
        let id = self.named(asked.agent_id.as_ref())?;
        let title = asked.title.as_deref().map(agent::title).transpose()?;
        let before = self.store().read(|r| agent::get(r, id))?;
        let taken = self.taken_around(before.workspace.filter(|_| !before.titled));
        let (now, caller) = (self.now(), self.caller);
        let agent = self.store().write(move |tx| {
            let (agent, first) = agent::set_title(tx, now, caller, id, title.clone())?;
            if let (Some(first), Some(taken)) = (&first, &taken) {
                workspaces::take_title(tx, first.workspace, first.title.as_str(), taken)?;
            }
            Ok::<_, Error>(agent)
        })?;
        self.core.works.look_again();
        Ok(TitledAgent { agent_id: agent.id, title: title_of(&agent) })
    }
}

impl Handle<AgentArchive> for Session {
    fn handle(&self, asked: AgentArchive) -> Result<ArchivedAgent> {
        let (id, caller, now) = (parsed(&asked.agent_id)?, self.caller, self.now());
        let archived = self.store().write(move |tx| {
            let archived = agent::archive(tx, now, caller, id)?;
            for stopped in &archived.stopped {
                waits::agent_stopped(tx, now, *stopped)?;
            }
            Ok::<_, Error>(archived.stopped)
        })?;
        self.core.due_changed();
        Ok(ArchivedAgent { agent_id: id, archived })
    }
}
