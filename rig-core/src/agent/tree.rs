use super::error::{Error, Result};
use super::record::Agent;
use super::rows;
use crate::caller::Caller;
use crate::id::AgentId;
use crate::store::Read;

/// An agent and everything below it, each before what is below it, the oldest first: for an agent
/// itself or one below it, for the person any. Where the person names none, it is all trees.
/// Archived ones are left out unless asked for; one that is named is not.
///
/// # Errors
///
/// [`Error::AgentNotFound`], [`Error::NotYourAgent`]; or if the store failed.
pub fn tree(
    r: &impl Read,
    caller: Caller,
    top: Option<AgentId>,
    archived: bool,
) -> Result<Vec<Agent>> {
    let top = top.or(caller.agent()).map(|top| rows::get(r, top)).transpose()?;
    if let (Some(caller), Some(top)) = (caller.agent(), &top)
        && top.id != caller
        && !rows::is_below(r, top, caller)?
    {
        let rule = "an agent sees itself and what is below it";
        return Err(Error::not_yours(top.id, rule));
    }
    let named = top.as_ref().map(|top| top.id);
    let mut next = match top {
        Some(top) => vec![top],
        None => rows::primaries(r)?,
    };
    next.reverse();
    let mut tree = Vec::new();
    while let Some(agent) = next.pop() {
        next.extend(rows::children(r, agent.id)?.into_iter().rev());
        if archived || !agent.is_archived() || named == Some(agent.id) {
            tree.push(agent);
        }
    }
    Ok(tree)
}
