//! A store in memory with a clock that is moved by hand, agents, and processes that come and go.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use redb::StorageBackend;
use rig_core::agent::{self, NewAgent};
use rig_core::caller::Caller;
use rig_core::clock::{Clock as _, ManualClock, Now};
use rig_core::due;
use rig_core::id::{AgentId, ScheduleId, WaitId};
use rig_core::mail::{self, Body, Delivered, Sender};
use rig_core::store::{Cursor, Error, Event, Options, ReadTx, Store, Transact as _, Tx, journal};
use rig_core::time::Timestamp;
use rig_sched::messages::{Message, NewMessage, Status};
use rig_sched::parse::Time;
use rig_sched::waits::{NewWait, Reason, Wait};
use rig_sched::{Fired, Result, Sched, messages, waits};

/// A storage in memory that outlives the process that has it open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    /// What a process that was killed just now leaves behind.
    pub(crate) fn left_behind(&self) -> Self {
        Self(Arc::new(Mutex::new(self.0.lock().unwrap().clone())))
    }

    /// Bytes of the file.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

fn place(at: u64) -> usize {
    usize::try_from(at).unwrap()
}

impl StorageBackend for Memory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let from = place(offset);
        out.copy_from_slice(&self.0.lock().unwrap()[from..from + out.len()]);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().resize(place(len), 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let from = place(offset);
        self.0.lock().unwrap()[from..from + data.len()].copy_from_slice(data);
        Ok(())
    }
}

pub(crate) fn minutes(minutes: u64) -> Duration {
    Duration::from_mins(minutes)
}

pub(crate) fn body(text: &str) -> Body {
    Body::new(text).unwrap()
}

/// A plain message.
pub(crate) fn mail(from: AgentId, to: AgentId) -> mail::NewMessage {
    mail::NewMessage::new(Sender::Agent(from), to, body("hello"))
}

pub(crate) struct World {
    pub(crate) memory: Memory,
    pub(crate) clock: Arc<ManualClock>,
    store: Option<Store>,
    /// Where the journal began.
    began: Option<Cursor>,
}

impl World {
    /// An empty store on 1 August 2026.
    pub(crate) fn new() -> Self {
        Self::at(ManualClock::new("2026-08-01T00:00:00Z".parse().unwrap()))
    }

    pub(crate) fn at(clock: ManualClock) -> Self {
        let mut world =
            Self { memory: Memory::default(), clock: Arc::new(clock), store: None, began: None };
        world.open();
        world.began = Some(world.store().read(journal::snapshot).unwrap());
        world
    }

    fn open(&mut self) {
        let options = Options { clock: self.clock.clone(), ..Options::default() };
        self.store = Some(Store::open_on(self.memory.clone(), options).unwrap());
    }

    /// All processes end, and another opens the store.
    pub(crate) fn restart(&mut self) {
        self.store.take().unwrap().close().unwrap();
        self.open();
    }

    /// All processes are killed, and another opens what they left behind.
    pub(crate) fn kill(&mut self) {
        self.kill_at(self.memory.left_behind());
    }

    /// All processes were killed when this was left behind, and another opens it.
    pub(crate) fn kill_at(&mut self, left_behind: Memory) {
        self.store = None;
        self.memory = left_behind;
        self.open();
    }

    pub(crate) fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    pub(crate) fn sched(&self) -> Sched<'_, Store> {
        Sched(self.store())
    }

    pub(crate) fn now(&self) -> Now {
        Now::read(self.clock.as_ref())
    }

    /// The instant so many milliseconds from now.
    pub(crate) fn ahead(&self, ms: i64) -> Timestamp {
        Timestamp::from_millis(self.clock.now().as_millis() + ms).unwrap()
    }

    /// Time passes, whether the machine is awake or asleep.
    pub(crate) fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    /// Somebody sets the wall clock.
    pub(crate) fn step(&self, ms: i64) {
        self.clock.set(self.ahead(ms));
    }

    pub(crate) fn write<T: Send + 'static>(
        &self,
        operation: impl Fn(&Tx<'_>, Now) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let now = self.now();
        self.store().write(move |tx| operation(tx, now))
    }

    pub(crate) fn read<T>(&self, look: impl FnOnce(&ReadTx) -> Result<T>) -> T {
        self.store().read(look).unwrap()
    }

    /// Registers an agent of this number; below another, if there is a parent.
    pub(crate) fn register(&self, number: u128, parent: Option<AgentId>) -> AgentId {
        let new = NewAgent {
            id: AgentId::from_bits(number),
            token: None,
            title: None,
            parent,
            cwd: None,
            disk: "machine".to_owned(),
            workspace: None,
            project: None,
        };
        let now = self.now();
        let registered = self
            .store()
            .write(move |tx| agent::register(tx, now, Caller::Person, &new, agent::MAX_DEPTH));
        registered.unwrap().agent.id
    }

    pub(crate) fn agent(&self, number: u128) -> AgentId {
        self.register(number, None)
    }

    /// Starts a wait of a caller.
    pub(crate) fn wait(&self, caller: impl Into<Whose>, time: Time) -> Wait {
        self.sched().start_wait(caller.into().0, NewWait::new(time)).unwrap()
    }

    pub(crate) fn wait_for(&self, caller: impl Into<Whose>, length: Duration) -> Wait {
        self.wait(caller, Time::After(length))
    }

    /// A wait as it is now.
    pub(crate) fn look(&self, id: WaitId) -> Wait {
        self.sched().wait(Caller::Person, id).unwrap()
    }

    pub(crate) fn reason(&self, id: WaitId) -> Option<Reason> {
        self.look(id).ended.map(|ended| ended.reason)
    }

    /// A message arrives, as the node delivers it.
    pub(crate) fn send(&self, message: mail::NewMessage) -> (Delivered, Vec<Wait>) {
        self.write(move |tx, now| {
            let delivered = mail::deliver(tx, now, &message).map_err(|error| match error {
                mail::Error::Store(error) => error,
                other => panic!("{other}"),
            })?;
            Ok((delivered, waits::message_arrived(tx, now, &delivered)?))
        })
        .unwrap()
    }

    pub(crate) fn schedule(&self, from: impl Into<Whose>, to: AgentId, time: Time) -> Message {
        let new = NewMessage::new(to, body("later"), time);
        self.sched().schedule(from.into().0, new).unwrap()
    }

    pub(crate) fn message(&self, id: ScheduleId) -> Message {
        self.sched().message(Caller::Person, id).unwrap()
    }

    pub(crate) fn status(&self, id: ScheduleId) -> Status {
        self.message(id).status
    }

    /// Fires until nothing that is due is left, as the timer does; answers all that happened.
    pub(crate) fn fire(&self) -> Fired {
        let mut all = Fired::default();
        loop {
            let fired = self.sched().fire(100).unwrap();
            all.waits.extend(fired.waits);
            all.messages.extend(fired.messages);
            all.delivered.extend(fired.delivered);
            if !fired.left {
                return all;
            }
        }
    }

    /// How long it is until something is due.
    pub(crate) fn next(&self) -> Option<Duration> {
        self.sched().next_due().unwrap()
    }

    /// The events of these kinds so far, oldest first.
    pub(crate) fn events(&self, kinds: &[&str]) -> Vec<Event> {
        let (mut found, mut cursor) = (Vec::new(), self.began.clone().unwrap());
        loop {
            let page = self.store().read(|r| journal::after(r, &cursor, None, 2000)).unwrap();
            found.extend(page.events);
            cursor = page.cursor;
            if !page.more {
                break;
            }
        }
        found.retain(|event| kinds.contains(&event.kind.as_str()));
        found
    }

    /// How many events of a kind there are about a thing.
    pub(crate) fn told(&self, kind: &str, id: &impl ToString) -> usize {
        let about = vec![id.to_string()];
        self.events(&[kind]).iter().filter(|event| event.about == about).count()
    }

    /// All records and rows agree.
    pub(crate) fn agree(&self) {
        let found = self.store().read(|r| {
            let mut found = rig_sched::agree(r)?;
            found.extend(due::agree(r)?);
            Ok::<_, Error>(found)
        });
        assert_eq!(found.unwrap(), []);
    }

    /// All messages that the person sees.
    pub(crate) fn list(&self, caller: impl Into<Whose>, all: bool) -> Vec<ScheduleId> {
        let caller = caller.into().0;
        let list = self.read(|r| messages::list(r, caller, all, None));
        list.items.iter().map(|message| message.id).collect()
    }
}

/// A caller, as tests name it.
pub(crate) struct Whose(Caller);

impl From<Caller> for Whose {
    fn from(caller: Caller) -> Self {
        Self(caller)
    }
}

impl From<AgentId> for Whose {
    fn from(agent: AgentId) -> Self {
        Self(Caller::Agent(agent))
    }
}
