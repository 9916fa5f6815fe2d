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
#[serde(rename_all = "camelCase")]
pub(super) struct Tokens {
    /// The token it was registered with, if it was with one, whether or not it still counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) first_token: Option<TokenDigest>,
    /// Those that count, the oldest first.
    pub(super) tokens: Vec<TokenDigest>,
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
    let stored = tx.get(TOKENS, &agent)?;
    let mut held = stored.unwrap_or(Tokens { first_token: None, tokens: Vec::new() });
    if held.tokens.contains(&digest) {
        return Ok(());
    }
    let over = (held.tokens.len() + 1).saturating_sub(MAX_TOKENS);
    held.tokens.drain(..over);
    held.tokens.push(digest);
    Ok(tx.put(TOKENS, &agent, &held)?)
}

/// Takes one token from an agent; answers whether it held it.
///
/// # Errors
///
/// If the store failed.
pub fn drop_token(tx: &Tx<'_>, agent: AgentId, digest: TokenDigest) -> Result<bool> {
    let Some(mut held) = tx.get(TOKENS, &agent)? else { return Ok(false) };
    let before = held.tokens.len();
    held.tokens.retain(|token| *token != digest);
    if held.tokens.len() == before {
        return Ok(false);
    }
    tx.put(TOKENS, &agent, &held)?;
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
    if stored.as_ref().is_some_and(|held| held.tokens == [digest]) {
        return Ok(());
    }
    let first_token = stored.and_then(|held| held.first_token);
    Ok(tx.put(TOKENS, &agent, &Tokens { first_token, tokens: vec![digest] })?)
}

/// That the caller is the agent, or the person.
pub(super) fn own(caller: Caller, agent: AgentId) -> Result<()> {
    match caller.agent() {
        Some(caller) if caller != agent => Err(Error::not_yours(agent, "an agent acts for itself")),
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
        let stored = r.get(TOKENS, &self.agent)?;
        let digest = self.token.digest();
        // Each is compared, so that the time tells nothing of which one it was.
        let equal = |held: Tokens| held.tokens.iter().filter(|token| **token == digest).count();
        match stored.map(equal) {
            Some(1..) => Ok(Caller::Agent(self.agent)),
            _ => {
                Err(Error::BadIdentity { why: "the agent ID and the token do not belong together" })
            }
        }
    }
}
