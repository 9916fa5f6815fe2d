use super::archive::{Archived, archive};
use super::error::Result;
use super::handshake::shake_hands;
use super::record::Agent;
use super::register::{FirstTitle, NewAgent, Registered, register};
use super::rows::get;
use super::title::set_title;
use super::tokens::replace_tokens;
use crate::caller::Caller;
use crate::clock::Now;
use crate::id::AgentId;
use crate::name::Name;
use crate::store::Transact;
use crate::token::TokenDigest;

/// The functions of this module as single calls, each a transaction of its own.
#[derive(Clone, Copy, Debug)]
pub struct Agents<'a, S>(pub &'a S);

impl<S: Transact> Agents<'_, S> {
    /// As [`register`].
    ///
    /// # Errors
    ///
    /// As [`register`].
    pub fn register(&self, caller: Caller, new: NewAgent, max_depth: u32) -> Result<Registered> {
        let now = Now::read(self.0.clock());
        self.0.write(move |tx| register(tx, now, caller, &new, max_depth))
    }

    /// As [`get`].
    ///
    /// # Errors
    ///
    /// As [`get`].
    pub fn get(&self, agent: AgentId) -> Result<Agent> {
        self.0.read(|r| get(r, agent))
    }

    /// The agent `target`, about which `sender` asks: it may send to it from now on.
    ///
    /// # Errors
    ///
    /// As [`shake_hands`].
    pub fn info(&self, sender: AgentId, target: AgentId) -> Result<Agent> {
        self.0.write(move |tx| {
            shake_hands(tx, sender, target)?;
            get(tx, target)
        })
    }

    /// As [`set_title`].
    ///
    /// # Errors
    ///
    /// As [`set_title`].
    pub fn set_title(
        &self,
        caller: Caller,
        agent: AgentId,
        title: Option<Name>,
    ) -> Result<(Agent, Option<FirstTitle>)> {
        let now = Now::read(self.0.clock());
        self.0.write(move |tx| set_title(tx, now, caller, agent, title.clone()))
    }

    /// As [`replace_tokens`].
    ///
    /// # Errors
    ///
    /// As [`replace_tokens`].
    pub fn replace_tokens(
        &self,
        caller: Caller,
        agent: AgentId,
        digest: TokenDigest,
    ) -> Result<()> {
        self.0.write(move |tx| replace_tokens(tx, caller, agent, digest))
    }

    /// As [`archive`].
    ///
    /// # Errors
    ///
    /// As [`archive`].
    pub fn archive(&self, caller: Caller, agent: AgentId) -> Result<Archived> {
        let now = Now::read(self.0.clock());
        self.0.write(move |tx| archive(tx, now, caller, agent))
    }
}
