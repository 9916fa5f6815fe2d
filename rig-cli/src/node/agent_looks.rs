use rig_core::agent::{self, Agent, SessionFilter, Sharing, View};
use rig_core::caller::Caller;
use rig_core::mail;
use rig_core::store::{Read, Transact as _};
use rig_sched::waits;

use super::agents::{parsed, title_of};
use super::error::{Error, Result};
use super::leader::{Handle, Session};
use crate::operations::{
    AgentInTree, AgentInfo, AgentInfoReply, AgentMe, AgentTree, Agents, ListWorkspaceSessions,
    Myself, PersonsInfo, SessionReply, Sessions, StatusReply, WaitingReply,
};

/// What is told to an agent that asks who it is.
const HINT: &str = "the person may hand this ID to another agent, which can then write to you";

/// What an agent does.
fn status(r: &impl Read, agent: &Agent) -> Result<StatusReply> {
    let pending = waits::pending_of(r, Caller::Agent(agent.id), 1)?;
    let waiting = pending.into_iter().next().map(|wait| WaitingReply {
        wait_id: wait.id.to_string(),
        started_at: wait.started_at,
        due_at: wait.due_at,
    });
    let status = match &waiting {
        Some(_) => "waiting",
        None if agent.is_archived() => "archived",
        None => "idle",
    };
    Ok(StatusReply { status: status.to_owned(), waiting })
}

impl Handle<AgentMe> for Session {
    fn handle(&self, AgentMe {}: AgentMe) -> Result<Myself> {
        let id = self.agent()?;
        self.store().read(|r| {
            let agent = agent::get(r, id)?;
            let (title, hint) = (title_of(&agent), HINT.to_owned());
            Ok(Myself { agent_id: id, title, status: status(r, &agent)?, hint })
        })
    }
}

impl Handle<AgentInfo> for Session {
    fn handle(&self, asked: AgentInfo) -> Result<AgentInfoReply> {
        let id = parsed(&asked.agent_id)?;
        if let Some(caller) = self.caller.agent()
            && !self.store().read(|r| agent::have_shaken_hands(r, caller, id))?
        {
            self.store().write(move |tx| agent::shake_hands(tx, caller, id))?;
        }
        let (agent, status, mailbox) = self.store().read(|r| {
            let agent = agent::get(r, id)?;
            let status = status(r, &agent)?;
            Ok::<_, Error>((agent, status, mail::mailbox(r, id)?))
        })?;
        self.make_home(&agent)?;
        let disk = self.disk()?;
        let config = self.agents_config(None)?;
        let view = View { disk: &disk, mounts: &config.mounts, homes: &self.homes() };
        // A folder of another view is for the client to look at.
        let ours = disk == self.core.environment.disk();
        let sharing = Sharing::of(view.folder_of(&agent), |path| !ours || path.is_dir());
        let person = (self.caller == Caller::Person).then(|| PersonsInfo {
            kind: agent.kind,
            parent_agent_id: agent.parent,
            session_id: agent.session,
            workspace_id: agent.workspace,
            unacked: mailbox.unacked(),
            listening: self.core.present.is_present(id, 0),
            run: None,
        });
        let reply = AgentInfoReply {
            agent_id: id,
            title: title_of(&agent),
            status,
            disk_shared: false,
            path: None,
            notice: None,
            person,
        };
        Ok(reply.with(sharing))
    }
}

impl Handle<AgentTree> for Session {
    fn handle(&self, asked: AgentTree) -> Result<Agents> {
        let top = asked.agent_id.as_deref().map(parsed).transpose()?;
        self.store().read(|r| {
            let tree = agent::tree(r, self.caller, top, asked.all.unwrap_or(false))?;
            let shown = |agent: Agent| {
                Ok(AgentInTree {
                    agent_id: agent.id,
                    session_id: agent.session,
                    title: title_of(&agent),
                    status: status(r, &agent)?,
                    kind: agent.kind,
                    parent_agent_id: agent.parent,
                    depth: agent.depth,
                    archived: agent.is_archived(),
                })
            };
            Ok(Agents { agents: tree.into_iter().map(shown).collect::<Result<_>>()? })
        })
    }
}

impl Handle<ListWorkspaceSessions> for Session {
    fn handle(&self, asked: ListWorkspaceSessions) -> Result<Sessions> {
        let ListWorkspaceSessions { project_id: project, workspace_id: workspace } = asked;
        let filter = SessionFilter { project, workspace, archived: false };
        self.store().read(|r| {
            let shown = |session: agent::Session| {
                let agent::Session { agent, updated_at, parent_session } = session;
                Ok(SessionReply {
                    id: agent.session,
                    agent_id: agent.id,
                    title: title_of(&agent),
                    status: status(r, &agent)?,
                    updated_at,
                    project_id: agent.project,
                    workspace_id: agent.workspace,
                    delegated_by: agent.delegated_by,
                    parent_session_id: parent_session,
                    archived: agent.is_archived(),
                })
            };
            let sessions = agent::sessions(r, filter)?;
            Ok(Sessions { sessions: sessions.into_iter().map(shown).collect::<Result<_>>()? })
        })
    }
}
