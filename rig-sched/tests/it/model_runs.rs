//! Random requests, clocks and crashes, held against the model after each step.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::{AgentId, MessageId, ScheduleId, WaitId};
use rig_core::mail::Sender;
use rig_core::store::{Cursor, Transact as _, journal};
use rig_sched::messages::NewMessage;
use rig_sched::parse::Time;
use rig_sched::waits::{self, NewWait};

use crate::model::{Answer, Model, Request};
use crate::world::{World, body, mail};

/// A time that a request names, in milliseconds from when it is first made.
#[derive(Clone, Copy, Debug)]
enum When {
    After(u64),
    At(i64),
}

#[derive(Clone, Debug)]
enum Ask {
    Start {
        who: usize,
        key: Option<u8>,
        when: When,
    },
    Schedule {
        who: usize,
        target: u128,
        when: When,
        expires_ms: Option<u64>,
    },
    CancelWait {
        who: usize,
        which: usize,
    },
    CancelMessage {
        who: usize,
        which: usize,
    },
    Retry {
        who: usize,
        which: usize,
    },
    Send {
        from: u128,
        to: u128,
        id: u128,
    },
    Stop(u128),
    /// An earlier request once more, late, doubled or out of order.
    Again(usize),
}

/// When the processes are killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Killed {
    Not,
    BeforeCommit,
    AfterCommit,
}

#[derive(Clone, Debug)]
enum Step {
    Ask(Ask, Killed),
    Fire(usize, Killed),
    /// A write that fails after it wrote.
    FailedFire,
    Pass(u64),
    SetWall(i64),
    Reboot(u64),
    Restart,
}

const HOUR: i64 = 3_600_000;

fn when() -> impl Strategy<Value = When> {
    prop_oneof![
        (0..90_u64).prop_map(|minutes| When::After(minutes * 60_000)),
        (-30..90_i64).prop_map(|minutes| When::At(minutes * 60_000)),
    ]
}

fn ask() -> impl Strategy<Value = Ask> {
    let who = 0..4_usize;
    let which = any::<u8>().prop_map(usize::from);
    prop_oneof![
        5 => (who.clone(), prop::option::of(0..3_u8), when())
            .prop_map(|(who, key, when)| Ask::Start { who, key, when }),
        4 => (who.clone(), 1..5_u128, when(), prop::option::of((0..60_u64).prop_map(|m| m * 60_000)))
            .prop_map(|(who, target, when, expires_ms)| Ask::Schedule { who, target, when, expires_ms }),
        2 => (who.clone(), which.clone()).prop_map(|(who, which)| Ask::CancelWait { who, which }),
        2 => (who.clone(), which.clone()).prop_map(|(who, which)| Ask::CancelMessage { who, which }),
        1 => (who, which.clone()).prop_map(|(who, which)| Ask::Retry { who, which }),
        2 => (1..4_u128, 1..4_u128, 0..4_u128).prop_map(|(from, to, id)| Ask::Send { from, to, id }),
        1 => (1..4_u128).prop_map(Ask::Stop),
        3 => which.prop_map(Ask::Again),
    ]
}

fn killed() -> impl Strategy<Value = Killed> {
    prop_oneof![
        10 => Just(Killed::Not),
        1 => Just(Killed::BeforeCommit),
        1 => Just(Killed::AfterCommit),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        14 => (ask(), killed()).prop_map(|(ask, killed)| Step::Ask(ask, killed)),
        6 => (1..5_usize, killed()).prop_map(|(limit, killed)| Step::Fire(limit, killed)),
        1 => Just(Step::FailedFire),
        5 => (0..60_u64).prop_map(|minutes| Step::Pass(minutes * 60_000 + 1)),
        2 => prop_oneof![Just(HOUR), Just(-HOUR)].prop_map(Step::SetWall),
        1 => (0..90_u64).prop_map(|minutes| Step::Reboot(minutes * 60_000)),
        1 => Just(Step::Restart),
    ]
}

struct Run {
    world: World,
    model: Model,
    requests: Vec<Request>,
    waits: Vec<WaitId>,
    messages: Vec<ScheduleId>,
    seen: Cursor,
    told: BTreeMap<(String, String), usize>,
}

fn caller(who: usize) -> Caller {
    match who {
        0 => Caller::Person,
        agent => Caller::Agent(AgentId::from_bits(agent as u128)),
    }
}

impl Run {
    fn new() -> Self {
        let world = World::new();
        let agents = (1..4).map(|number| world.agent(number)).collect::<Vec<_>>();
        let seen = world.store().read(journal::snapshot).unwrap();
        Self {
            world,
            model: Model::new(agents),
            requests: Vec::new(),
            waits: Vec::new(),
            messages: Vec::new(),
            seen,
            told: BTreeMap::new(),
        }
    }

    fn time(&self, when: When) -> Time {
        match when {
            When::After(ms) => Time::After(Duration::from_millis(ms)),
            When::At(ms) => Time::At(self.world.ahead(ms)),
        }
    }

    fn request(&mut self, ask: &Ask) -> Option<Request> {
        let number = self.requests.len() as u128 + 1;
        let some = |all: usize, which: &usize| (all > 0).then(|| which % all);
        let request = match ask {
            Ask::Start { who, key, when } => {
                let key = key.map(|key| CallKey::alone(key.to_string()).unwrap());
                let id = WaitId::from_bits(number);
                // What has a key needs no ID; here it has one so that the model knows it, unless it
                // may be known by its key.
                let known = key.as_ref().is_some_and(|key| {
                    self.world.read(|r| waits::by_key(r, caller(*who), key)).is_some()
                });
                if !known {
                    self.waits.push(id);
                }
                let id = (!known).then_some(id);
                Request::Start(caller(*who), NewWait { id, key, ..NewWait::new(self.time(*when)) })
            }
            Ask::Schedule { who, target, when, expires_ms } => {
                let id = ScheduleId::from_bits(number);
                self.messages.push(id);
                // The last one does not exist.
                let target = AgentId::from_bits(*target);
                let new = NewMessage {
                    id: Some(id),
                    expires_after: expires_ms.map(Duration::from_millis),
                    ..NewMessage::new(target, body("later"), self.time(*when))
                };
                Request::Schedule(caller(*who), new)
            }
            Ask::CancelWait { who, which } => {
                let which = some(self.waits.len(), which)?;
                Request::CancelWait(caller(*who), self.waits[which])
            }
            Ask::CancelMessage { who, which } => {
                let which = some(self.messages.len(), which)?;
                Request::CancelMessage(caller(*who), self.messages[which])
            }
            Ask::Retry { who, which } => {
                let which = some(self.messages.len(), which)?;
                Request::Retry(caller(*who), self.messages[which])
            }
            Ask::Send { from, to, id } => {
                let message = mail(AgentId::from_bits(*from), AgentId::from_bits(*to));
                let id = Some(MessageId::from_bits(1_000_000 + *id));
                Request::Send(rig_core::mail::NewMessage { id, ..message })
            }
            Ask::Stop(agent) => Request::Stop(AgentId::from_bits(*agent)),
            Ask::Again(which) => {
                let which = some(self.requests.len(), which)?;
                return Some(self.requests[which].clone());
            }
        };
        self.requests.push(request.clone());
        Some(request)
    }

    fn ask(&self, request: &Request) -> Answer {
        let sched = self.world.sched();
        let answered = match request.clone() {
            Request::Start(caller, new) => {
                sched.start_wait(caller, new).map(|wait| Answer::Wait(wait.outcome()))
            }
            Request::Schedule(caller, new) => {
                sched.schedule(caller, new).map(|it| Answer::Message(it.due_at, it.status))
            }
            Request::CancelWait(caller, id) => {
                sched.cancel_wait(caller, id).map(|it| Answer::Cancelled(it.cancelled))
            }
            Request::CancelMessage(caller, id) => {
                sched.cancel_message(caller, id).map(|it| Answer::Cancelled(it.cancelled))
            }
            Request::Retry(caller, id) => {
                sched.retry_message(caller, id).map(|it| Answer::Message(it.due_at, it.status))
            }
            Request::Send(message) => {
                assert!(matches!(message.from, Sender::Agent(_)));
                let (_, ended) = self.world.send(message);
                Ok(Answer::Ended(ended.into_iter().map(|wait| wait.id).collect()))
            }
            Request::Stop(agent) => {
                let ended = sched.agent_stopped(agent);
                ended.map(|ended| Answer::Ended(ended.into_iter().map(|wait| wait.id).collect()))
            }
        };
        answered.unwrap_or_else(|refused| Answer::Refused(refused.code()))
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Ask(ask, killed) => {
                let Some(request) = self.request(ask) else { return };
                let before = self.world.memory.left_behind();
                let answer = self.ask(&request);
                if *killed == Killed::BeforeCommit {
                    // Nobody was answered, and nothing of it is there. The client asks again.
                    self.world.kill_at(before);
                    self.check();
                }
                let now = self.world.now();
                let expected = self.model.answer(now, &request);
                if *killed == Killed::Not {
                    assert_eq!(answer, expected);
                } else {
                    if *killed == Killed::AfterCommit {
                        self.world.kill();
                        self.check();
                    }
                    let again = self.ask(&request);
                    let expected = match killed {
                        Killed::BeforeCommit => expected,
                        _ => self.model.answer(now, &request),
                    };
                    assert_eq!(again, expected);
                }
            }
            Step::Fire(limit, killed) => {
                let before = self.world.memory.left_behind();
                let fired = self.world.sched().fire(*limit).unwrap();
                if *killed == Killed::BeforeCommit {
                    self.world.kill_at(before);
                } else {
                    let now = self.world.now();
                    assert_eq!(fired.left, self.model.fire(now, *limit));
                }
                if *killed == Killed::AfterCommit {
                    self.world.kill();
                }
            }
            Step::FailedFire => {
                let failed: rig_sched::Result<()> = self.world.write(|tx, now| {
                    rig_sched::fire(tx, now, 100)?;
                    Err(rig_sched::Error::WaitNotFound { id: WaitId::from_bits(0) })
                });
                failed.unwrap_err();
            }
            Step::Pass(ms) => self.world.pass(Duration::from_millis(*ms)),
            Step::SetWall(ms) => self.world.step(*ms),
            Step::Reboot(ms) => {
                self.world.clock.reboot(Duration::from_millis(*ms));
                self.world.kill();
            }
            Step::Restart => self.world.restart(),
        }
        self.check();
    }

    /// The store holds what the model does.
    fn check(&mut self) {
        let now = self.world.now();
        for (id, outcome) in self.model.waits() {
            assert_eq!(self.world.look(id).outcome().as_ref(), outcome);
        }
        for (id, due_at, status) in self.model.messages() {
            let message = self.world.message(id);
            assert_eq!((message.due_at, message.status), (due_at, status), "{id}");
        }
        assert_eq!(self.world.next(), self.model.next(now));
        loop {
            let page = self.world.store().read(|r| journal::after(r, &self.seen, None, 1000));
            let page = page.unwrap();
            self.seen = page.cursor;
            for event in page.events {
                if event.kind.starts_with("wait.") || event.kind.starts_with("scheduled.") {
                    let about = event.about[0].clone();
                    *self.told.entry((event.kind, about)).or_default() += 1;
                }
            }
            if !page.more {
                break;
            }
        }
        assert_eq!(self.told, self.model.told);
        self.world.agree();
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_store_does_what_the_model_does(steps in prop::collection::vec(step(), 1..30)) {
        let mut run = Run::new();
        for step in &steps {
            run.take(step);
        }
    }
}
