use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::rows;
use crate::caller::Caller;
use crate::id::AgentId;
use crate::store::{Read, Record, Table, Tx};
use crate::token::{Token, TokenDigest};

/// The most tokens an agent holds.
pub const MAX_TOKENS: usize = 8;

/// What each agent's tokens are known by. Nothing else in a store tells of tokens.
pub(super) const TOKENS: Table<AgentId, Tokens> = Table::new("core/tokens");

/// The digests of an agent's tokens.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// The token it was registered with, whether or not it still counts.
    pub(super) first: TokenDigest,
    /// Those that count, oldest first.
    pub(super) valid: Vec<TokenDigest>,
}

impl Record for Tokens {}

/// Gives an agent one more token. If it then holds more than [`MAX_TOKENS`], the oldest counts no
/// more. A token that it holds already changes nothing.
///
/// # Errors
///
/// [`Error::AgentNotFound`]; or if the store failed.
pub fn add_token(tx: &Tx<'_>, agent: AgentId, digest: TokenDigest) -> Result<()> {
    rows::get(tx, agent)?;
    let mut tokens = tx.get(TOKENS, &agent)?.unwrap_or(Tokens { first: digest, valid: Vec::new() });
    if tokens.valid.contains(&digest) {
        return Ok(());
    }
    let over = (tokens.valid.len() + 1).saturating_sub(MAX_TOKENS);
    tokens.valid.drain(..over);
    tokens.valid.push(digest);
    Ok(tx.put(TOKENS, &agent, &tokens)?)
}

/// Takes one token from an agent; answers whether it held it.
///
/// # Errors
///
/// If the store failed.
pub fn drop_token(tx: &Tx<'_>, agent: AgentId, digest: TokenDigest) -> Result<bool> {
    let Some(mut tokens) = tx.get(TOKENS, &agent)? else { return Ok(false) };
    let held = tokens.valid.len();
    tokens.valid.retain(|valid| *valid != digest);
    if tokens.valid.len() == held {
        return Ok(false);
    }
    tx.put(TOKENS, &agent, &tokens)?;
    Ok(true)
}

/// Makes a token the only one of an agent: one's own, or any for the person. Again with the same
/// token it changes nothing.
///
/// # Errors
///
/// [`Error::AgentNotFound`], [`Error::NotYourAgent`]; or if the store failed.
pub fn replace_tokens(
    tx: &Tx<'_>,
    caller: Caller,
    agent: AgentId,
    digest: TokenDigest,
) -> Result<()> {
    own(caller, agent)?;
    rows::get(tx, agent)?;
    let stored = tx.get(TOKENS, &agent)?;
    if stored.as_ref().is_some_and(|tokens| tokens.valid == [digest]) {
        return Ok(());
    }
    let first = stored.map_or(digest, |tokens| tokens.first);
    Ok(tx.put(TOKENS, &agent, &Tokens { first, valid: vec![digest] })?)
}

/// That the caller is the agent, or the person.
pub(super) fn own(caller: Caller, agent: AgentId) -> Result<()> {
    match caller.agent() {
        Some(caller) if caller != agent => {
            Err(Error::NotYourAgent { agent, rule: "an agent acts for itself" })
        }
        _ => Ok(()),
    }
}

/// An agent that shows who it is, with what it shows.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Who it says it is.
    pub agent: AgentId,
    /// By what it shows that it is.
    pub token: Token,
}

impl Identity {
    /// The identity that an ID and a token give, as they stand in the environment of a process;
    /// none if both are absent, which is the person.
    ///
    /// # Errors
    ///
    /// [`Error::BadIdentity`] if one of them is absent or empty, or is not what it should be. It
    /// repeats nothing of either.
    pub fn parse(id: Option<&str>, token: Option<&str>) -> Result<Option<Self>> {
        let bad = |why| Error::BadIdentity { why };
        let (id, token) = match (id, token) {
            (None, None) => return Ok(None),
            (None, Some(_)) => return Err(bad("the token is given, and the agent ID is missing")),
            (Some(_), None) => return Err(bad("the agent ID is given, and the token is missing")),
            (Some(id), Some(token)) => (id, token),
        };
        if id.is_empty() || token.is_empty() {
            let id = id.is_empty();
            return Err(bad(if id { "the agent ID is empty" } else { "the token is empty" }));
        }
        let agent = id.parse().map_err(|_| bad("the agent ID is malformed"))?;
        let token = token.parse().map_err(|_| bad("the token is malformed"))?;
        Ok(Some(Self { agent, token }))
    }

    /// The agent as a caller, if the token is one of its own.
    ///
    /// # Errors
    ///
    /// [`Error::BadIdentity`] if there is no such agent or the token is not one of its own; or if
    /// the store failed.
    pub fn check(&self, r: &impl Read) -> Result<Caller> {
        let tokens = r.get(TOKENS, &self.agent)?;
        let digest = self.token.digest();
        // Each is compared, so that the time tells nothing of which one it was.
        let held = tokens
            .map(|tokens| tokens.valid.iter().fold(false, |held, valid| held | (*valid == digest)));
        match held {
            Some(true) => Ok(Caller::Agent(self.agent)),
            _ => {
                Err(Error::BadIdentity { why: "the agent ID and the token do not belong together" })
            }
        }
    }
}
