//! What waits and scheduled messages should do, in so many words over a few maps.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rig_core::caller::Caller;
use rig_core::clock::{Boot, Now};
use rig_core::id::{AgentId, MessageId, ScheduleId, WaitId};
use rig_core::mail;
use rig_core::time::Timestamp;
use rig_sched::messages::{NewMessage, Status};
use rig_sched::parse::Time;
use rig_sched::waits::{NewWait, Outcome, Reason, Seconds};

/// What a client asks for. The same again is the same request.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Start(Caller, NewWait),
    Schedule(Caller, NewMessage),
    CancelWait(Caller, WaitId),
    CancelMessage(Caller, ScheduleId),
    Retry(Caller, ScheduleId),
    Send(mail::NewMessage),
    Stop(AgentId),
}

/// What it is answered, as far as it matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Wait(Option<Outcome>),
    Message(Timestamp, Status),
    Cancelled(bool),
    Ended(BTreeSet<WaitId>),
    Refused(&'static str),
}

#[derive(Clone, Debug)]
struct Wait {
    caller: Caller,
    time: Time,
    started: Now,
    due_at: Timestamp,
    /// For elapsed time: since when, by the clock that counts from the start of the machine, and
    /// until when.
    measured: Option<(Boot, u64)>,
    outcome: Option<Outcome>,
}

#[derive(Clone, Debug)]
struct Message {
    sender: Caller,
    new: NewMessage,
    due_at: Timestamp,
    expires_at: Option<Timestamp>,
    status: Status,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    agents: BTreeSet<AgentId>,
    waits: BTreeMap<WaitId, Wait>,
    messages: BTreeMap<ScheduleId, Message>,
    keys: BTreeMap<(Option<AgentId>, String), WaitId>,
    mail: BTreeSet<(AgentId, String, MessageId)>,
    /// The start of the machine that elapsed times count from, and its last reading known.
    anchor: Option<Boot>,
    /// How often each kind of event was told about each thing.
    pub(crate) told: BTreeMap<(String, String), usize>,
}

/// A row that is due: when, which, and whose.
type Row = (u64, u128, &'static str);

impl Model {
    pub(crate) fn new(agents: impl IntoIterator<Item = AgentId>) -> Self {
        Self { agents: agents.into_iter().collect(), ..Self::default() }
    }

    fn tell(&mut self, kind: &str, id: &impl ToString) {
        *self.told.entry((kind.to_owned(), id.to_string())).or_default() += 1;
    }

    pub(crate) fn waits(&self) -> impl Iterator<Item = (WaitId, Option<&Outcome>)> {
        self.waits.iter().map(|(id, wait)| (*id, wait.outcome.as_ref()))
    }

    pub(crate) fn messages(&self) -> impl Iterator<Item = (ScheduleId, Timestamp, Status)> {
        self.messages.iter().map(|(id, message)| (*id, message.due_at, message.status))
    }

    fn is_pending(&self, id: WaitId) -> bool {
        self.waits[&id].outcome.is_none()
    }

    fn pending(&self) -> impl Iterator<Item = (&WaitId, &Wait)> {
        self.waits.iter().filter(|(_, wait)| wait.outcome.is_none())
    }

    /// Milliseconds that a wait has to go.
    fn left(&self, wait: &Wait, now: Now) -> u64 {
        let by_wall = || ms(wait.due_at.since(now.wall));
        match (wait.measured, now.boot) {
            (None, _) => by_wall(),
            (Some((from, due)), Some(boot)) if from.id == boot.id => due.saturating_sub(boot.ms),
            (Some((from, due)), _) => {
                let seen = self.anchor.filter(|anchor| anchor.id == from.id);
                by_wall().min(due.saturating_sub(seen.map_or(0, |seen| seen.ms).max(from.ms)))
            }
        }
    }

    fn end(&mut self, now: Now, id: WaitId, reason: Reason) {
        let wait = &self.waits[&id];
        let reason = if self.left(wait, now) == 0 { Reason::Elapsed } else { reason };
        let mut ended_at = now.wall.max(wait.started.wall);
        if reason == Reason::Elapsed {
            ended_at = ended_at.max(wait.due_at);
        }
        let same_boot = now.boot.zip(wait.started.boot).and_then(|(now, then)| now.since(then));
        let outcome = Outcome {
            started_at: wait.started.wall,
            due_at: wait.due_at,
            ended_at,
            elapsed_seconds: Seconds(
                same_boot.unwrap_or_else(|| ended_at.since(wait.started.wall)),
            ),
            interrupted: reason != Reason::Elapsed,
            reason,
            wait_id: id,
        };
        self.waits.get_mut(&id).unwrap().outcome = Some(outcome);
        self.tell("wait.ended", &id);
    }

    fn end_all(&mut self, now: Now, agent: AgentId, reason: Reason) -> BTreeSet<WaitId> {
        let caller = Caller::Agent(agent);
        let ids = self.pending().filter(|(_, wait)| wait.caller == caller).map(|(id, _)| *id);
        let ids: BTreeSet<_> = ids.collect();
        for id in &ids {
            self.end(now, *id, reason);
        }
        ids
    }

    pub(crate) fn answer(&mut self, now: Now, request: &Request) -> Answer {
        match request {
            Request::Start(caller, new) => self.start(now, *caller, new),
            Request::Schedule(caller, new) => self.schedule(now, *caller, new),
            Request::CancelWait(caller, id) => match self.waits.get(id) {
                Some(wait) if [Caller::Person, wait.caller].contains(caller) => {
                    if wait.outcome.is_none() {
                        self.end(now, *id, Reason::Cancelled);
                    }
                    let reason = self.waits[id].outcome.as_ref().unwrap().reason;
                    Answer::Cancelled(reason == Reason::Cancelled)
                }
                _ => Answer::Refused("wait_not_found"),
            },
            Request::CancelMessage(caller, id) => match self.messages.get_mut(id) {
                Some(message) if [Caller::Person, message.sender].contains(caller) => {
                    let settled = message.status.is_settled();
                    if !settled {
                        message.status = Status::Cancelled;
                        self.tell("scheduled.cancelled", &id);
                    }
                    Answer::Cancelled(self.messages[id].status == Status::Cancelled)
                }
                _ => Answer::Refused("schedule_not_found"),
            },
            Request::Retry(caller, id) => match self.messages.get_mut(id) {
                Some(message) if [Caller::Person, message.sender].contains(caller) => {
                    match message.status {
                        Status::Undelivered => {
                            message.status = Status::Pending;
                            message.due_at = now.wall;
                            let after = message.new.expires_after;
                            message.expires_at = after.map(|it| now.wall.checked_add(it).unwrap());
                            self.tell("scheduled.retried", &id);
                        }
                        Status::Pending => {}
                        _ => return Answer::Refused("schedule_settled"),
                    }
                    Answer::Message(self.messages[id].due_at, Status::Pending)
                }
                _ => Answer::Refused("schedule_not_found"),
            },
            Request::Send(message) => {
                let key = (message.to, format!("{:?}", message.from), message.id.unwrap());
                let new = self.mail.insert(key);
                let ended = if new {
                    self.end_all(now, message.to, Reason::MessageReceived)
                } else {
                    BTreeSet::new()
                };
                Answer::Ended(ended)
            }
            Request::Stop(agent) => Answer::Ended(self.end_all(now, *agent, Reason::AgentStopped)),
        }
    }

    fn start(&mut self, now: Now, caller: Caller, new: &NewWait) -> Answer {
        let key = new.key.as_ref().map(|key| (caller.agent(), key.call().to_owned()));
        let known = new.id.filter(|id| self.waits.contains_key(id));
        let by_key = key.as_ref().and_then(|key| self.keys.get(key)).copied();
        if let Some(id) = known.or(by_key) {
            let wait = &self.waits[&id];
            if wait.time != new.time {
                return Answer::Refused("key_conflict");
            }
            return Answer::Wait(wait.outcome.clone());
        }
        let id = new.id.unwrap();
        if let Some(key) = key {
            self.keys.insert(key, id);
        }
        let (due_at, measured) = match new.time {
            Time::After(length) => {
                let boot = now.boot.unwrap();
                (now.wall.checked_add(length).unwrap(), Some((boot, boot.ms + ms(length))))
            }
            Time::At(at) => (at.max(now.wall), None),
        };
        if due_at > now.wall && measured.is_some() {
            let others = self.pending().any(|(_, wait)| wait.measured.is_some());
            let here = self.anchor.is_none_or(|anchor| Some(anchor.id) == now.boot.map(|b| b.id));
            if here || !others {
                self.anchor = now.boot;
            }
        }
        let wait = Wait { caller, time: new.time, started: now, due_at, measured, outcome: None };
        self.waits.insert(id, wait);
        self.tell("wait.started", &id);
        if due_at == now.wall {
            self.end(now, id, Reason::Elapsed);
        }
        Answer::Wait(self.waits[&id].outcome.clone())
    }

    fn schedule(&mut self, now: Now, sender: Caller, new: &NewMessage) -> Answer {
        let id = new.id.unwrap();
        if let Some(known) = self.messages.get(&id) {
            return Answer::Message(known.due_at, known.status);
        }
        let due_at = match new.time {
            Time::After(delay) => now.wall.checked_add(delay).unwrap(),
            Time::At(at) => at.max(now.wall),
        };
        let expires_at = new.expires_after.map(|after| due_at.checked_add(after).unwrap());
        let (new, status) = (new.clone(), Status::Pending);
        self.messages.insert(id, Message { sender, new, due_at, expires_at, status });
        self.tell("scheduled.created", &id);
        Answer::Message(due_at, status)
    }

    /// Whether elapsed times count from an earlier start of the machine.
    fn is_adrift(&self, now: Now) -> bool {
        self.anchor.map(|anchor| anchor.id) != now.boot.map(|boot| boot.id)
            && self.pending().any(|(_, wait)| wait.measured.is_some())
    }

    /// Settles what is due, at most `limit` rows; answers whether more are.
    pub(crate) fn fire(&mut self, now: Now, limit: usize) -> bool {
        let boot = now.boot.unwrap();
        if self.is_adrift(now) {
            let moved: Vec<_> = self
                .pending()
                .filter(|(_, wait)| wait.measured.is_some_and(|(from, _)| from.id != boot.id))
                .map(|(id, wait)| (*id, boot.ms + self.left(wait, now)))
                .collect();
            for (id, due) in moved {
                self.waits.get_mut(&id).unwrap().measured = Some((boot, due));
            }
            self.anchor = Some(boot);
        }
        let mut measured: Vec<Row> = Vec::new();
        let mut wall: Vec<Row> = Vec::new();
        for (id, wait) in self.pending() {
            match wait.measured {
                Some((_, due)) if due <= boot.ms => measured.push((due, id.bits(), "wait")),
                None if wait.due_at <= now.wall => {
                    wall.push((at_ms(wait.due_at), id.bits(), "wait"));
                }
                _ => {}
            }
        }
        for (id, message) in &self.messages {
            if message.status == Status::Pending && message.due_at <= now.wall {
                wall.push((at_ms(message.due_at), id.bits(), "message"));
            }
        }
        measured.sort_unstable();
        wall.sort_unstable();
        measured.append(&mut wall);
        for (_, id, owner) in measured.iter().take(limit) {
            match *owner {
                "wait" if self.is_pending(WaitId::from_bits(*id)) => {
                    self.end(now, WaitId::from_bits(*id), Reason::Elapsed);
                }
                "wait" => {}
                _ => self.deliver(now, ScheduleId::from_bits(*id)),
            }
        }
        measured.len() > limit
    }

    fn deliver(&mut self, now: Now, id: ScheduleId) {
        let message = self.messages.get_mut(&id).unwrap();
        let target = message.new.target;
        if message.expires_at.is_some_and(|expires_at| now.wall > expires_at) {
            message.status = Status::Expired;
            self.tell("scheduled.expired", &id);
        } else if self.agents.contains(&target) {
            message.status = Status::Delivered;
            self.tell("scheduled.delivered", &id);
            self.end_all(now, target, Reason::MessageReceived);
        } else {
            message.status = Status::Undelivered;
            self.tell("scheduled.undelivered", &id);
        }
    }

    /// How long it is until something is due.
    pub(crate) fn next(&self, now: Now) -> Option<Duration> {
        if self.is_adrift(now) {
            return Some(Duration::ZERO);
        }
        let waits = self.pending().map(|(_, wait)| self.left(wait, now));
        let messages = self.messages.values().filter(|it| it.status == Status::Pending);
        let all = waits.chain(messages.map(|message| ms(message.due_at.since(now.wall))));
        all.min().map(Duration::from_millis)
    }
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap()
}

fn at_ms(at: Timestamp) -> u64 {
    u64::try_from(at.as_millis()).unwrap()
}
