use serde_json::json;

use super::error::{Error, Result};
use super::record::Agent;
use super::register::FirstTitle;
use super::rows::{self, FIRST};
use super::tokens::own;
use crate::caller::Caller;
use crate::clock::Now;
use crate::id::AgentId;
use crate::name::Name;
use crate::store::{Read as _, Tx};

/// The title that `text` gives once it is trimmed: 1 to 100 characters, none of them a control or
/// format character.
///
/// # Errors
///
/// [`Error::BadTitle`] says which rule the text breaks.
pub fn title(text: &str) -> Result<Name> {
    Name::new(text).map_err(Error::BadTitle)
}

/// Gives an agent a title, or takes it away: one's own, or any for the person. The first title of
/// the first primary agent of a workspace is returned, for the workspace to take it too.
///
/// # Errors
///
/// [`Error::AgentNotFound`], [`Error::NotYourAgent`]; or if the store failed.
pub fn set_title(
    tx: &Tx<'_>,
    now: Now,
    caller: Caller,
    agent: AgentId,
    title: Option<Name>,
) -> Result<(Agent, Option<FirstTitle>)> {
    own(caller, agent)?;
    let mut agent = rows::get(tx, agent)?;
    if agent.title == title {
        return Ok((agent, None));
    }
    let first = take(tx, &mut agent, title)?;
    agent.updated_at = now.wall;
    rows::put(tx, &agent)?;
    let data = json!({ "agentId": agent.id });
    tx.event("agent.titled", &[&agent.id], Some(agent.id), &data)?;
    Ok((agent, first))
}

/// Sets the title of a record; what its workspace is to take, if it is the first of the first.
pub(super) fn take(
    tx: &Tx<'_>,
    agent: &mut Agent,
    title: Option<Name>,
) -> Result<Option<FirstTitle>> {
    agent.title.clone_from(&title);
    let Some(title) = title.filter(|_| !agent.titled) else { return Ok(None) };
    agent.titled = true;
    let Some(workspace) = agent.workspace.filter(|_| agent.is_primary()) else { return Ok(None) };
    let first = tx.get(FIRST, &workspace)? == Some(agent.id);
    Ok(first.then_some(FirstTitle { workspace, title }))
}
