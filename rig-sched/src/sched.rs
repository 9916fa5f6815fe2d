use std::time::Duration;

use rig_core::caller::Caller;
use rig_core::clock::Now;
use rig_core::id::{AgentId, ScheduleId, WaitId};
use rig_core::store::Transact;
use rig_core::time::Timestamp;

use crate::error::Result;
use crate::messages::{List, Message, NewMessage};
use crate::waits::{NewWait, Wait};
use crate::{Fired, fire, messages, next_due, waits};

/// The functions of this crate, each in a transaction of its own, at the time of the store's clock.
#[derive(Clone, Copy, Debug)]
pub struct Sched<'a, S>(pub &'a S);

impl<S: Transact> Sched<'_, S> {
    fn now(&self) -> Now {
        Now::read(self.0.clock())
    }

    /// As [`waits::start`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn start_wait(&self, caller: Caller, new: NewWait) -> Result<Wait> {
        let now = self.now();
        self.0.write(move |tx| waits::start(tx, now, caller, &new))
    }

    /// As [`waits::cancel`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn cancel_wait(&self, caller: Caller, id: WaitId) -> Result<waits::Cancelled> {
        let now = self.now();
        self.0.write(move |tx| waits::cancel(tx, now, caller, id))
    }

    /// As [`waits::agent_stopped`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn agent_stopped(&self, agent: AgentId) -> Result<Vec<Wait>> {
        let now = self.now();
        self.0.write(move |tx| waits::agent_stopped(tx, now, agent))
    }

    /// As [`waits::get`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn wait(&self, caller: Caller, id: WaitId) -> Result<Wait> {
        self.0.read(|r| waits::get(r, caller, id))
    }

    /// As [`messages::schedule`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn schedule(&self, caller: Caller, new: NewMessage) -> Result<Message> {
        let now = self.now();
        self.0.write(move |tx| messages::schedule(tx, now, caller, &new))
    }

    /// As [`messages::cancel`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn cancel_message(&self, caller: Caller, id: ScheduleId) -> Result<messages::Cancelled> {
        let now = self.now();
        self.0.write(move |tx| messages::cancel(tx, now, caller, id))
    }

    /// As [`messages::retry`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn retry_message(&self, caller: Caller, id: ScheduleId) -> Result<Message> {
        let now = self.now();
        self.0.write(move |tx| messages::retry(tx, now, caller, id))
    }

    /// As [`messages::get`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn message(&self, caller: Caller, id: ScheduleId) -> Result<Message> {
        self.0.read(|r| messages::get(r, caller, id))
    }

    /// As [`messages::list`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn messages(
        &self,
        caller: Caller,
        all: bool,
        after: Option<(Timestamp, ScheduleId)>,
    ) -> Result<List> {
        self.0.read(|r| messages::list(r, caller, all, after))
    }

    /// As [`fire`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn fire(&self, limit: usize) -> Result<Fired> {
        let now = self.now();
        self.0.write(move |tx| fire(tx, now, limit))
    }

    /// As [`next_due`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn next_due(&self) -> Result<Option<Duration>> {
        let now = self.now();
        self.0.read(|r| next_due(r, now))
    }
}
