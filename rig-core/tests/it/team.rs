//! A store with agents in it.

use std::sync::Arc;
use std::time::Duration;

use rig_core::agent::{self, Agent, NewAgent, Registered};
use rig_core::caller::Caller;
use rig_core::clock::{Clock, ManualClock, Now};
use rig_core::id::AgentId;
use rig_core::mail::{self, Body, Delivered, Fetched, Mailbox, NewMessage, Sender};
use rig_core::name::Name;
use rig_core::store::{Event, Options, Store, Transact as _, journal};
use rig_core::token::{Token, TokenDigest};

pub(crate) struct Team {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Store,
}

fn options(clock: &Arc<ManualClock>) -> Options {
    let clock: Arc<dyn Clock> = clock.clone();
    Options { clock, ..Options::default() }
}

/// A request for an agent as a client makes it.
pub(crate) fn new(title: &str) -> NewAgent {
    NewAgent {
        id: AgentId::generate(),
        token: Some(Token::generate().digest()),
        title: (!title.is_empty()).then(|| Name::new(title).unwrap()),
        parent: None,
        cwd: None,
        disk: "machine".to_owned(),
        workspace: None,
        project: None,
    }
}

pub(crate) fn body(text: &str) -> Body {
    Body::new(text).unwrap()
}

/// A plain message from one agent to another.
pub(crate) fn message(from: AgentId, to: AgentId, text: &str) -> NewMessage {
    NewMessage::new(Sender::Agent(from), to, body(text))
}

impl Team {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new("2026-08-01T00:00:00Z".parse().unwrap()));
        let store = Store::open(&folder.path().join("rig.redb"), options(&clock)).unwrap();
        Self { folder, clock, store }
    }

    /// All processes end, and another opens the store.
    pub(crate) fn restart(self) -> Self {
        let Self { folder, clock, store } = self;
        store.close().unwrap();
        let store = Store::open(&folder.path().join("rig.redb"), options(&clock)).unwrap();
        Self { folder, clock, store }
    }

    pub(crate) fn now(&self) -> Now {
        Now::read(self.clock.as_ref())
    }

    pub(crate) fn days(&self, days: u64) {
        self.clock.advance(Duration::from_hours(24 * days));
    }

    pub(crate) fn register(&self, caller: Caller, new: &NewAgent) -> agent::Result<Registered> {
        // No two are as old, so that there is an order.
        self.clock.advance(Duration::from_millis(1));
        let (now, new) = (self.now(), new.clone());
        self.store.write(move |tx| agent::register(tx, now, caller, &new, agent::MAX_DEPTH))
    }

    /// A primary agent.
    pub(crate) fn primary(&self, title: &str) -> AgentId {
        self.register(Caller::Person, &new(title)).unwrap().agent.id
    }

    /// An agent below another.
    pub(crate) fn below(&self, parent: AgentId, title: &str) -> AgentId {
        let new = NewAgent { parent: Some(parent), ..new(title) };
        self.register(Caller::Person, &new).unwrap().agent.id
    }

    pub(crate) fn agent(&self, agent: AgentId) -> Agent {
        self.store.read(|r| agent::get(r, agent)).unwrap()
    }

    pub(crate) fn shake_hands(&self, sender: AgentId, target: AgentId) {
        self.store.write(move |tx| agent::shake_hands(tx, sender, target)).unwrap();
    }

    pub(crate) fn set_title(
        &self,
        caller: Caller,
        agent: AgentId,
        title: &str,
    ) -> agent::Result<Option<agent::FirstTitle>> {
        let (now, title) = (self.now(), Some(agent::title(title)?));
        self.store.write(move |tx| {
            agent::set_title(tx, now, caller, agent, title.clone()).map(|(_, first)| first)
        })
    }

    pub(crate) fn archive(&self, caller: Caller, agent: AgentId) -> agent::Result<Vec<AgentId>> {
        let now = self.now();
        self.store.write(move |tx| {
            agent::archive(tx, now, caller, agent).map(|archived| archived.stopped)
        })
    }

    pub(crate) fn replace_tokens(
        &self,
        caller: Caller,
        agent: AgentId,
        digest: TokenDigest,
    ) -> agent::Result<()> {
        self.store.write(move |tx| agent::replace_tokens(tx, caller, agent, digest))
    }

    pub(crate) fn send(&self, message: &NewMessage) -> mail::Result<Delivered> {
        let (now, message) = (self.now(), message.clone());
        self.store.write(move |tx| mail::send(tx, now, &message))
    }

    pub(crate) fn deliver(&self, message: &NewMessage) -> mail::Result<Delivered> {
        let (now, message) = (self.now(), message.clone());
        self.store.write(move |tx| mail::deliver(tx, now, &message))
    }

    /// Messages of one to another that are their numbers.
    pub(crate) fn deliver_numbered(&self, from: AgentId, to: AgentId, count: u64) {
        for number in 1..=count {
            self.deliver(&message(from, to, &number.to_string())).unwrap();
        }
    }

    /// The same text again and again, in few transactions.
    pub(crate) fn deliver_many(&self, message: &NewMessage, count: usize) {
        let (now, message) = (self.now(), message.clone());
        self.store
            .write(move |tx| {
                (0..count).try_for_each(|_| mail::deliver(tx, now, &message).map(drop))
            })
            .unwrap();
    }

    pub(crate) fn fetch(&self, agent: AgentId, limit: usize) -> mail::Result<Fetched> {
        self.store.write(move |tx| mail::fetch(tx, agent, limit))
    }

    pub(crate) fn ack(&self, agent: AgentId, seq: u64) -> mail::Result<Mailbox> {
        let now = self.now();
        self.store.write(move |tx| mail::ack(tx, now, agent, seq))
    }

    pub(crate) fn mailbox(&self, agent: AgentId) -> Mailbox {
        self.store.read(|r| mail::mailbox(r, agent)).unwrap()
    }

    /// The events of these kinds, oldest first.
    pub(crate) fn events(&self, kind: &str) -> Vec<Event> {
        let mut events = self.store.read(|r| journal::newest(r, None, 2000)).unwrap().events;
        events.retain(|event| event.kind.starts_with(kind));
        events
    }
}

/// The numbers and texts of what was fetched.
pub(crate) fn texts(fetched: &Fetched) -> Vec<(u64, &str)> {
    fetched.messages.iter().map(|message| (message.seq, message.body.as_str())).collect()
}
