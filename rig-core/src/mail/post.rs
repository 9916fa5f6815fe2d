use super::deliver::Delivered;
use super::error::Result;
use super::fetch::Fetched;
use super::message::NewMessage;
use super::rows::Mailbox;
use super::{ack, fetch, mailbox, send};
use crate::clock::Now;
use crate::id::AgentId;
use crate::store::Transact;

/// The functions of this module as single calls, each a transaction of its own.
#[derive(Clone, Copy, Debug)]
pub struct Post<'a, S>(pub &'a S);

impl<S: Transact> Post<'_, S> {
    /// As [`send`]. Where something keeps the waits of agents, it is to be told in the transaction
    /// that sends, and so [`send`] is to be called in one.
    ///
    /// # Errors
    ///
    /// As [`send`].
    pub fn send(&self, new: NewMessage) -> Result<Delivered> {
        let now = Now::read(self.0.clock());
        self.0.write(move |tx| send(tx, now, &new))
    }

    /// As [`fetch`].
    ///
    /// # Errors
    ///
    /// As [`fetch`].
    pub fn fetch(&self, agent: AgentId, limit: usize) -> Result<Fetched> {
        self.0.write(move |tx| fetch(tx, agent, limit))
    }

    /// As [`ack`].
    ///
    /// # Errors
    ///
    /// As [`ack`].
    pub fn ack(&self, agent: AgentId, seq: u64) -> Result<Mailbox> {
        let now = Now::read(self.0.clock());
        self.0.write(move |tx| ack(tx, now, agent, seq))
    }

    /// As [`mailbox`].
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn mailbox(&self, agent: AgentId) -> Result<Mailbox> {
        Ok(self.0.read(|r| mailbox(r, agent))?)
    }
}
