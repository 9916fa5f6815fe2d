use super::error::{Error, Result};
use super::record::Agent;
use super::register::{MAX_DEPTH, NewAgent, register};
use super::rows::{self, DEFAULT, TITLES};
use crate::caller::Caller;
use crate::clock::Now;
use crate::id::AgentId;
use crate::name::Name;
use crate::store::{Read, Tx};

/// The title of the agent that acts where the person names none, and its key.
const DEFAULT_TITLE: &str = "default";

/// The agent that the person names: by its ID, or by a title that only one agent has.
///
/// # Errors
///
/// [`Error::AgentNotFound`], [`Error::Ambiguous`]; or if the store failed.
pub fn meant(r: &impl Read, asked: &str) -> Result<Agent> {
    if let Ok(id) = asked.parse() {
        return rows::get(r, id);
    }
    let title = asked.trim().to_owned();
    let fitting = r.beginning_with(TITLES, &title)?;
    let candidates: Vec<AgentId> = fitting.into_iter().map(|((_, id), ())| id).collect();
    match candidates[..] {
        [] => Err(Error::AgentNotFound { asked: format!("{asked:?}") }),
        [id] => rows::get(r, id),
        _ => Err(Error::Ambiguous { asked: asked.to_owned(), candidates }),
    }
}

/// The agent that a command acts for. An agent acts for itself, whether it names itself or nobody.
/// The person names one, else the default agent acts: it is registered on `disk` by the first
/// command that needs it, and nobody holds a token of it.
///
/// # Errors
///
/// As [`meant`], for the person; [`Error::NotYourAgent`] for an agent that names another; or if the
/// store failed.
pub fn acting(
    tx: &Tx<'_>,
    now: Now,
    caller: Caller,
    named: Option<&str>,
    disk: &str,
) -> Result<Agent> {
    match (caller, named) {
        (Caller::Agent(agent), Some(named)) if named != agent.to_string() => {
            let rule = "an agent acts for itself";
            Err(Error::NotYourAgent { asked: format!("{named:?}"), rule })
        }
        (Caller::Agent(agent), _) => rows::get(tx, agent),
        (Caller::Person, Some(named)) => meant(tx, named),
        (Caller::Person, None) => default_agent(tx, now, disk),
    }
}

fn default_agent(tx: &Tx<'_>, now: Now, disk: &str) -> Result<Agent> {
    let key = DEFAULT_TITLE.to_owned();
    if let Some(id) = tx.get(DEFAULT, &key)? {
        return rows::get(tx, id);
    }
    let new = NewAgent {
        id: AgentId::generate(),
        token: None,
        title: Some(Name::new(DEFAULT_TITLE).map_err(Error::BadTitle)?),
        parent: None,
        cwd: None,
        disk: disk.to_owned(),
        workspace: None,
        project: None,
    };
    let registered = register(tx, now, Caller::Person, &new, MAX_DEPTH)?;
    tx.put(DEFAULT, &key, &registered.agent.id)?;
    Ok(registered.agent)
}
