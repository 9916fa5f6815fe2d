use serde::Serialize;

use super::error::{Error, Result};
use super::record::{Agent, AgentKind};
use super::rows::{self, FIRST};
use super::title;
use super::tokens::{TOKENS, Tokens};
use crate::caller::Caller;
use crate::clock::Now;
use crate::id::{AgentId, ProjectId, SessionId, WorkspaceId};
use crate::name::Name;
use crate::path::RawPath;
use crate::store::{Read as _, Tx};
use crate::token::TokenDigest;

/// How deep below its primary agent an agent may be, unless the configuration says otherwise.
pub const MAX_DEPTH: u32 = 3;

/// An agent to be. ID and token are made by who asks, so that asking again is the same request.
#[derive(Clone, Debug)]
pub struct NewAgent {
    /// Its ID.
    pub id: AgentId,
    /// The digest of its first token; none for an agent that nobody needs to be.
    pub token: Option<TokenDigest>,
    /// Its title.
    pub title: Option<Name>,
    /// The agent above it. None makes a primary agent if the person asks, else one below the
    /// caller.
    pub parent: Option<AgentId>,
    /// Its folder, canonical and absolute.
    pub cwd: Option<RawPath>,
    /// The name of its view of the disk.
    pub disk: String,
    /// The workspace it is for.
    pub workspace: Option<WorkspaceId>,
    /// The project of that workspace.
    pub project: Option<ProjectId>,
}

/// An agent that was registered, now or by the same request before.
#[derive(Clone, Debug)]
pub struct Registered {
    /// The agent as it is.
    pub agent: Agent,
    /// Whether it was registered now.
    pub new: bool,
    /// The title that its workspace is to take.
    pub first_title: Option<FirstTitle>,
}

/// The first title of the first primary agent of a workspace, which names the workspace too: whoever
/// knows of workspaces is to be told, in the same transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstTitle {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The title.
    pub title: Name,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Created<'a> {
    agent_id: AgentId,
    session_id: SessionId,
    parent_agent_id: Option<AgentId>,
    depth: u32,
    workspace_id: Option<&'a WorkspaceId>,
}

/// Registers an agent. The same request again answers with the agent that exists.
///
/// The person makes primary agents, or subagents of any agent; an agent makes subagents of itself or
/// of an agent below it. `max_depth` is how deep a subagent may be.
///
/// # Errors
///
/// [`Error::IdConflict`] if the ID is that of another agent; [`Error::AgentNotFound`] if there is no
/// such parent; [`Error::NotYourAgent`]; [`Error::DepthLimit`]; [`Error::BadRequest`] for a folder
/// that is not absolute or an unusable name of a disk; or if the store failed.
pub fn register(
    tx: &Tx<'_>,
    now: Now,
    caller: Caller,
    new: &NewAgent,
    max_depth: u32,
) -> Result<Registered> {
    check(new)?;
    let above = new.parent.or(caller.agent());
    if let Some(agent) = tx.get(rows::AGENTS, &new.id)? {
        same(tx, caller, new, above, &agent)?;
        return Ok(Registered { agent, new: false, first_title: None });
    }
    let parent = above.map(|above| rows::get(tx, above)).transpose()?;
    if let (Some(caller), Some(parent)) = (caller.agent(), &parent)
        && parent.id != caller
        && !rows::is_below(tx, parent, caller)?
    {
        let rule = "an agent makes subagents of itself or of an agent below it";
        return Err(Error::not_yours(parent.id, rule));
    }
    let depth = parent.as_ref().map_or(0, |parent| parent.depth.saturating_add(1));
    if depth > max_depth && parent.is_some() {
        return Err(Error::DepthLimit { depth, limit: max_depth });
    }
    tx.ensure_room()?;
    let mut agent = Agent {
        id: new.id,
        session: SessionId::generate(now.wall),
        kind: AgentKind::External,
        title: None,
        titled: false,
        parent: parent.as_ref().map(|parent| parent.id),
        root: parent.as_ref().map_or(new.id, |parent| parent.root),
        depth,
        delegated_by: None,
        disk: new.disk.clone(),
        home: WorkspaceId::generate(now.wall),
        cwd: new.cwd.clone(),
        workspace: new.workspace,
        project: new.project,
        registered_by: caller,
        first_title: new.title.clone(),
        created_at: now.wall,
        updated_at: now.wall,
        archived_at: None,
    };
    if let Some(workspace) = agent.workspace.filter(|_| agent.is_primary())
        && tx.get(FIRST, &workspace)?.is_none()
    {
        tx.put(FIRST, &workspace, &agent.id)?;
    }
    let first_title = title::take(tx, &mut agent, new.title.clone())?;
    rows::put(tx, &agent)?;
    if let Some(digest) = new.token {
        tx.put(TOKENS, &agent.id, &Tokens { first_token: Some(digest), tokens: vec![digest] })?;
    }
    let created = Created {
        agent_id: agent.id,
        session_id: agent.session,
        parent_agent_id: agent.parent,
        depth,
        workspace_id: agent.workspace.as_ref(),
    };
    tx.event("agent.created", &[&agent.id], Some(agent.id), &created)?;
    Ok(Registered { agent, new: true, first_title })
}

/// What can be told without the store.
fn check(new: &NewAgent) -> Result<()> {
    if new.cwd.as_ref().is_some_and(|cwd| !cwd.is_absolute()) {
        return Err(Error::BadRequest { field: "cwd", rule: "must be an absolute path" });
    }
    if new.disk.is_empty() || new.disk.len() > 1000 || new.disk.contains(char::is_control) {
        let rule = "must be 1 to 1000 bytes without control characters";
        return Err(Error::BadRequest { field: "disk", rule });
    }
    Ok(())
}

/// That the request which made `agent` was this one.
fn same(
    tx: &Tx<'_>,
    caller: Caller,
    new: &NewAgent,
    above: Option<AgentId>,
    agent: &Agent,
) -> Result<()> {
    let conflict =
        |field, stored, given| Err(Error::IdConflict { agent: agent.id, field, stored, given });
    if agent.registered_by != caller {
        return conflict("caller", None, String::new());
    }
    let first = tx.get(TOKENS, &agent.id)?.and_then(|tokens| tokens.first_token);
    if first != new.token {
        return conflict("token_digest", None, String::new());
    }
    let differing = [
        ("title", shown(agent.first_title.as_ref()), shown(new.title.as_ref())),
        ("parent", shown(agent.parent), shown(above)),
        ("cwd", shown_path(agent.cwd.as_ref()), shown_path(new.cwd.as_ref())),
        ("disk", agent.disk.clone(), new.disk.clone()),
        ("workspace_id", shown(agent.workspace), shown(new.workspace)),
    ];
    match differing.into_iter().find(|(_, stored, given)| stored != given) {
        Some((field, stored, given)) => conflict(field, Some(stored), given),
        None => Ok(()),
    }
}

fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// A path without loss.
fn shown_path(path: Option<&RawPath>) -> String {
    let text = |path| serde_json::to_string(path).unwrap_or_default();
    path.map_or_else(|| "none".to_owned(), text)
}
