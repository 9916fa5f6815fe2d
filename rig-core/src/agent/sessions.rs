use std::cmp::Reverse;

use super::error::Result;
use super::record::Agent;
use super::rows;
use crate::id::{ProjectId, SessionId, WorkspaceId};
use crate::mail;
use crate::store::Read;
use crate::time::Timestamp;

/// Which conversations are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionFilter {
    /// Those of this project only.
    pub project: Option<ProjectId>,
    /// Those of this workspace only.
    pub workspace: Option<WorkspaceId>,
    /// Archived ones too.
    pub archived: bool,
}

/// A conversation that the person sees: that of a primary agent.
#[derive(Clone, Debug)]
pub struct Session {
    /// Whose it is.
    pub agent: Agent,
    /// When something last happened in it.
    pub updated_at: Timestamp,
    /// The conversation of the agent that started this one.
    pub parent_session: Option<SessionId>,
}

/// The conversations of primary agents, most recently active first.
///
/// # Errors
///
/// If the store failed.
pub fn sessions(r: &impl Read, filter: SessionFilter) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    for agent in rows::primaries(r)? {
        let fits = filter.project.is_none_or(|project| agent.project == Some(project))
            && filter.workspace.is_none_or(|workspace| agent.workspace == Some(workspace))
            && (filter.archived || !agent.is_archived());
        if !fits {
            continue;
        }
        let active_at = mail::mailbox(r, agent.id)?.active_at;
        let updated_at = active_at.map_or(agent.updated_at, |at| at.max(agent.updated_at));
        let delegator = agent.delegated_by.map(|delegator| rows::get(r, delegator)).transpose()?;
        let parent_session = delegator.map(|delegator| delegator.session);
        sessions.push(Session { agent, updated_at, parent_session });
    }
    sessions.sort_by_key(|session| (Reverse(session.updated_at), session.agent.id));
    Ok(sessions)
}
