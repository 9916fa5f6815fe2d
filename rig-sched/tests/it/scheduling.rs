//! Scheduled messages: when they are delivered, what becomes of those that cannot be, who sees them.

use std::time::Duration;

use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::{AgentId, ScheduleId};
use rig_core::mail::{self, Kind, MAX_MESSAGES, NewMessage as Mail};
use rig_core::store::{Transact as _, journal};
use rig_core::time::Timestamp;
use rig_sched::messages::{self, NewMessage, Status};
use rig_sched::parse::Time;
use rig_sched::waits::Reason;
use rig_sched::{HORIZON, MAX_PENDING_MESSAGES};
use serde_json::json;

use crate::world::{World, body, mail as mail_to, minutes};

fn after(minutes: u64) -> Time {
    Time::After(Duration::from_mins(minutes))
}

/// The messages of a mailbox, acknowledging nothing.
fn mailbox(world: &World, agent: AgentId) -> Vec<mail::Message> {
    let fetched = world
        .write(move |tx, _| match mail::fetch(tx, agent, 1000) {
            Ok(fetched) => Ok(fetched),
            Err(error) => panic!("{error}"),
        })
        .unwrap();
    fetched.messages
}

#[test]
fn schedule_message_with_hours_8() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, after(8 * 60));
    let reply = serde_json::to_string(&message.reply()).unwrap();
    assert_eq!(
        reply,
        format!(
            r#"{{"id":"{}","due_at":"2026-08-01T08:00:00.000Z","status":"pending","target_agent_id":"{two}"}}"#,
            message.id
        )
    );
    assert_eq!(world.next(), Some(minutes(480)));
    world.pass(Duration::from_millis(480 * 60_000 - 1));
    assert_eq!(world.fire().messages, []);
    world.pass(Duration::from_millis(1));
    let fired = world.fire();
    assert_eq!(fired.messages[0].status, Status::Delivered);
    let arrived = &mailbox(&world, two)[0];
    assert_eq!(arrived.id.to_string()[4..], message.id.to_string()[4..]);
    assert_eq!((arrived.kind, arrived.body.as_str()), (Kind::Scheduled, "later"));
    assert_eq!(arrived.from.sender(), mail::Sender::Agent(one));
    world.agree();
}

#[test]
fn an_item_of_the_list_has_these_keys() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let new = NewMessage {
        requested: json!({ "hours": 1, "expires_after": "2h" }),
        expires_after: Some(minutes(120)),
        ..NewMessage::new(two, body("later"), after(60))
    };
    let message = world.sched().schedule(Caller::Agent(one), new).unwrap();
    let list = world.sched().messages(Caller::Agent(one), false, None).unwrap();
    let told = serde_json::to_value(&list).unwrap();
    assert_eq!(
        told,
        json!({
            "items": [{
                "id": message.id,
                "sender": one,
                "target_agent_id": two,
                "message": "later",
                "due_at": "2026-08-01T01:00:00.000Z",
                "status": "pending",
                "created_at": "2026-08-01T00:00:00.000Z",
                "updated_at": "2026-08-01T00:00:00.000Z",
                "delivered_at": null,
                "failure": null,
                "attempts": 0,
                "next_attempt_at": null,
                "expires_at": "2026-08-01T03:00:00.000Z",
                "requested": { "hours": 1, "expires_after": "2h" },
            }],
            "cursor": list.cursor,
        })
    );
}

#[test]
fn due_in_the_past() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, Time::At(world.ahead(-3_600_000)));
    assert_eq!(message.status, Status::Pending);
    assert_eq!(world.next(), Some(Duration::ZERO));
    world.fire();
    assert_eq!(world.status(message.id), Status::Delivered);
}

#[test]
fn a_delivery_ends_the_waits_of_its_target_in_the_same_transaction() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let wait = world.wait_for(two, minutes(60));
    let message = world.schedule(one, two, after(30));
    world.pass(minutes(30));
    let fired = world.sched().fire(100).unwrap();
    assert_eq!(fired.waits[0].id, wait.id);
    assert_eq!(world.reason(wait.id), Some(Reason::MessageReceived));
    assert_eq!(world.status(message.id), Status::Delivered);
    let kinds: Vec<_> = world
        .events(&["message.delivered", "scheduled.delivered", "wait.ended"])
        .into_iter()
        .map(|event| event.kind)
        .collect();
    assert_eq!(kinds, ["message.delivered", "scheduled.delivered", "wait.ended"]);
    world.agree();
}

#[test]
fn a_wait_that_is_due_together_with_a_message_has_elapsed() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let until = world.wait(two, Time::At(world.ahead(40 * 60_000)));
    world.schedule(one, two, after(30));
    world.pass(minutes(60));
    let fired = world.fire();
    assert_eq!(fired.waits.len(), 1);
    assert_eq!(world.reason(until.id), Some(Reason::Elapsed));
    assert_eq!(world.told("wait.ended", &until.id), 1);
}

#[test]
fn sleep_over_due() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, after(10));
    world.pass(minutes(25));
    world.fire();
    assert_eq!(world.status(message.id), Status::Delivered);
    let told = &world.events(&["scheduled.delivered"])[0];
    assert_eq!(told.data["late_ms"], json!(900_000));
    assert_eq!(told.agent_id, Some(one));
}

#[test]
fn backlog_many_late() {
    let mut world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let hour = 3_600_000;
    let ids: Vec<_> = (1..=120)
        .rev()
        .map(|n| world.schedule(one, two, Time::At(world.ahead(n * hour))).id)
        .collect();
    world.kill();
    world.pass(Duration::from_hours(7 * 24));
    let mut fired = Vec::new();
    while let Some(Duration::ZERO) = world.next() {
        let batch = world.sched().fire(50).unwrap();
        assert_eq!(batch.left, fired.len() + 50 < 120);
        fired.extend(batch.messages.into_iter().map(|message| message.id));
    }
    fired.reverse();
    assert_eq!(fired, ids);
    let events = world.events(&["scheduled.delivered"]);
    assert_eq!(events.len(), 120);
    assert_eq!(mailbox(&world, two).len(), 120);
    world.agree();
}

#[test]
fn not_yet_due() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    for _ in 0..250 {
        world.schedule(one, two, Time::After(Duration::ZERO));
    }
    let later = world.schedule(one, two, Time::After(Duration::from_secs(5)));
    assert_eq!(world.fire().messages.len(), 250);
    assert_eq!(world.status(later.id), Status::Pending);
    assert_eq!(world.next(), Some(Duration::from_secs(5)));
}

#[test]
fn missing_sender() {
    let world = World::new();
    let (one, two, three) = (world.agent(1), world.agent(2), world.agent(3));
    let orphan = world.schedule(one, three, after(1));
    let other = world.schedule(two, three, after(2));
    // The record of the first one's sender is gone.
    world.write(move |tx, _| Ok(tx.remove(raw_table("core/agents"), &one).map(drop)?)).unwrap();
    world.pass(minutes(5));
    world.fire();
    let orphan = world.message(orphan.id);
    assert_eq!((orphan.status, orphan.attempts), (Status::Undelivered, 1));
    let failure = orphan.failure.unwrap();
    assert_eq!(failure.code, "agent_not_found");
    assert!(failure.message.contains(&one.to_string()));
    assert_eq!(world.status(other.id), Status::Delivered);
}

/// A table whose rows a test damages or removes.
fn raw_table<K: rig_core::store::Key>(
    name: &'static str,
) -> rig_core::store::Table<K, serde_json::Value> {
    rig_core::store::Table::new(name)
}

#[test]
fn bad_row() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let key = Some(CallKey::alone("k").unwrap());
    let new = NewMessage { key, ..NewMessage::new(two, body("bad"), after(1)) };
    let bad = world.sched().schedule(Caller::Agent(one), new).unwrap().id;
    let wait = world.wait_for(one, minutes(1)).id;
    let good = world.schedule(one, two, after(2));
    let other = world.wait_for(one, minutes(2));
    world
        .write(move |tx, _| {
            let nonsense = json!({ "this is": "no record" });
            tx.put(raw_table("sched/messages"), &bad, &nonsense)?;
            Ok(tx.put(raw_table("sched/waits"), &wait, &nonsense)?)
        })
        .unwrap();
    world.pass(minutes(5));
    world.fire();
    assert_eq!(world.status(good.id), Status::Delivered);
    assert_eq!(world.reason(other.id), Some(Reason::Elapsed));
    let told: Vec<_> = world
        .events(&["store.quarantined"])
        .into_iter()
        .map(|event| event.data["table"].clone())
        .collect();
    assert_eq!(told, [json!("sched/waits"), json!("sched/messages")]);
    assert_eq!(
        world.sched().message(Caller::Person, bad).unwrap_err().code(),
        "schedule_not_found"
    );
    assert_eq!(world.next(), None);
    world.agree();
}

#[test]
fn a_record_of_a_later_build_stays_and_stops_nobody() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let newer: Vec<_> = (0..150).map(|_| world.schedule(one, two, after(1)).id).collect();
    let mine = world.schedule(one, two, after(2));
    let ids = newer.clone();
    world
        .write(move |tx, _| {
            ids.iter().try_for_each(|id| Ok(tx.put(Later::TABLE, id, &Later {})?))
        })
        .unwrap();
    assert_eq!(world.next(), Some(minutes(2)));
    world.pass(minutes(5));
    let fired = world.sched().fire(100).unwrap();
    assert_eq!((fired.messages.len(), fired.left), (1, false));
    assert_eq!(world.status(mine.id), Status::Delivered);
    assert_eq!(world.next(), None);
    let refused = world.sched().message(Caller::Person, newer[0]).unwrap_err();
    assert_eq!(refused.code(), "record_newer");
}

/// A record that only a later build reads.
#[derive(serde::Serialize, serde::Deserialize)]
struct Later {}

impl Later {
    const TABLE: rig_core::store::Table<ScheduleId, Self> =
        rig_core::store::Table::new("sched/messages");
}

impl rig_core::store::Record for Later {
    const VERSION: u8 = 2;
}

/// Has it that so many messages lie in a mailbox that nobody acknowledged. Sending them all would
/// take a minute.
fn has(world: &World, agent: AgentId, unacked: u64) {
    let mailbox = json!({
        "next": unacked + 1, "handed": 0, "acked": 0, "pruned": 0, "bytes": 0, "ackedBytes": 0,
    });
    world.write(move |tx, _| Ok(tx.put(raw_table("core/mailboxes"), &agent, &mailbox)?)).unwrap();
}

#[test]
fn quota_then_room() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    has(&world, two, MAX_MESSAGES);
    let message = world.schedule(one, two, Time::After(Duration::ZERO));
    let mut passed = 0;
    let mut tried = Vec::new();
    while passed < 180 {
        if !world.fire().messages.is_empty() {
            tried.push(passed);
        }
        let pending = world.message(message.id);
        assert_eq!(pending.status, Status::Pending);
        assert_eq!(pending.failure.unwrap().code, "mailbox_full");
        assert_eq!(pending.next_attempt_at.unwrap().since(world.now().wall), world.next().unwrap());
        let pause = world.next().unwrap();
        passed += pause.as_secs();
        world.pass(pause);
    }
    assert_eq!(tried, [0, 1, 3, 7, 15, 31, 63, 127]);
    has(&world, two, 0);
    world.fire();
    let delivered = world.message(message.id);
    assert_eq!((delivered.status, delivered.attempts), (Status::Delivered, 9));
    assert_eq!((delivered.failure, delivered.next_attempt_at), (None, None));
    assert_eq!(mailbox(&world, two).len(), 1);
    assert_eq!(world.told("scheduled.attempt_failed", &message.id), 8);
    assert_eq!(world.told("scheduled.delivered", &message.id), 1);
    world.agree();
}

#[test]
fn a_mailbox_that_stays_full_is_tried_for_an_hour() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    has(&world, two, MAX_MESSAGES);
    let message = world.schedule(one, two, Time::After(Duration::ZERO));
    let began = world.now().wall;
    let mut last = Duration::ZERO;
    while world.status(message.id) == Status::Pending {
        world.fire();
        if let Some(pause) = world.next() {
            assert!(pause <= minutes(5));
            world.pass(pause);
            last = world.now().wall.since(began);
        }
    }
    assert!(last <= minutes(60) && last > minutes(55));
    let given_up = world.message(message.id);
    assert_eq!(given_up.status, Status::Undelivered);
    assert_eq!(given_up.failure.unwrap().code, "mailbox_full");
    assert_eq!(given_up.next_attempt_at, None);
    assert_eq!(world.list(one, false), [message.id]);
    world.agree();
}

#[test]
fn unknown_target() {
    let world = World::new();
    let one = world.agent(1);
    let two = AgentId::from_bits(2);
    let message = world.schedule(one, two, after(1));
    world.pass(minutes(1));
    world.fire();
    let undelivered = world.message(message.id);
    assert_eq!(undelivered.status, Status::Undelivered);
    assert_eq!(undelivered.failure.unwrap().code, "agent_not_found");
    assert_eq!(world.list(one, false), [message.id]);
    world.agree();

    world.agent(2);
    world.pass(minutes(60));
    let retried = world.sched().retry_message(Caller::Agent(one), message.id).unwrap();
    assert_eq!((retried.status, retried.attempts), (Status::Pending, 0));
    assert_eq!(world.next(), Some(Duration::ZERO));
    // Twice is a success.
    assert_eq!(world.sched().retry_message(Caller::Agent(one), message.id).unwrap(), retried);
    world.fire();
    assert_eq!(world.status(message.id), Status::Delivered);
    assert_eq!(mailbox(&world, two)[0].id.bits(), message.id.bits());
    let refused = world.sched().retry_message(Caller::Agent(one), message.id).unwrap_err();
    assert_eq!(refused.code(), "schedule_settled");
    assert!(refused.to_string().ends_with("is delivered since 2026-08-01T01:01:00.000Z"));
    world.agree();
}

#[test]
fn expires() {
    let mut world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let expiring = |minutes| NewMessage {
        expires_after: Some(Duration::from_mins(minutes)),
        ..NewMessage::new(two, body("soon"), after(1))
    };
    let message = world.sched().schedule(Caller::Agent(one), expiring(60)).unwrap();
    let kept = world.sched().schedule(Caller::Agent(one), expiring(179)).unwrap();
    world.restart();
    world.pass(minutes(180));
    world.fire();
    assert_eq!(world.status(message.id), Status::Expired);
    // Not past its time by a millisecond.
    assert_eq!(world.status(kept.id), Status::Delivered);
    assert_eq!(world.list(one, false), []);
    assert_eq!(world.list(one, true).len(), 2);
    assert_eq!(mailbox(&world, two).len(), 1);
    assert_eq!(world.told("scheduled.expired", &message.id), 1);
    let refused = world.sched().retry_message(Caller::Agent(one), message.id).unwrap_err();
    assert_eq!(refused.code(), "schedule_settled");
    world.agree();
}

#[test]
fn one_second_late() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, after(1));
    world.pass(Duration::from_secs(61));
    world.fire();
    assert_eq!(world.status(message.id), Status::Delivered);
}

#[test]
fn far_schedule() {
    let mut world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, Time::After(Duration::from_hours(40 * 24)));
    world.fire();
    world.restart();
    world.fire();
    assert_eq!(world.status(message.id), Status::Pending);
    assert_eq!(world.next(), Some(Duration::from_hours(40 * 24)));
}

#[test]
fn back_after_fire() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, after(5));
    world.pass(minutes(5));
    world.fire();
    world.step(-3_600_000);
    world.fire();
    world.pass(minutes(120));
    world.fire();
    assert_eq!(mailbox(&world, two).len(), 1);
    assert_eq!(world.told("scheduled.delivered", &message.id), 1);
}

#[test]
fn sender_stopped() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, after(5));
    world
        .write(move |tx, now| {
            rig_core::agent::archive(tx, now, Caller::Person, one).unwrap();
            rig_sched::waits::agent_stopped(tx, now, one)
        })
        .unwrap();
    world.pass(minutes(5));
    world.fire();
    assert_eq!(mailbox(&world, two)[0].from.sender(), mail::Sender::Agent(one));
    assert_eq!(world.list(one, true), [message.id]);
}

#[test]
fn subagent() {
    let world = World::new();
    let one = world.agent(1);
    let child = world.register(2, Some(one));
    let new = NewMessage::new(one, body("later"), after(1));
    let refused = world.sched().schedule(Caller::Agent(child), new).unwrap_err();
    assert_eq!(refused.code(), "primary_only");
    assert!(refused.to_string().contains(&child.to_string()));
    assert_eq!(world.events(&["scheduled.created"]), []);
    world.wait_for(child, minutes(1));
}

#[test]
fn list_then_follow() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let first = world.schedule(one, two, after(5));
    let list = world.sched().messages(Caller::Agent(one), false, None).unwrap();
    let second = world.schedule(one, two, after(6));
    world.sched().cancel_message(Caller::Agent(one), first.id).unwrap();
    world.pass(minutes(6));
    world.fire();
    let seen = world.store().read(|r| journal::after(r, &list.cursor, Some(one), 100)).unwrap();
    let told: Vec<_> = seen
        .events
        .iter()
        .filter(|event| event.kind.starts_with("scheduled."))
        .map(|event| (event.kind.as_str(), event.about[0].clone()))
        .collect();
    assert_eq!(
        told,
        [
            ("scheduled.created", second.id.to_string()),
            ("scheduled.cancelled", first.id.to_string()),
            ("scheduled.delivered", second.id.to_string()),
        ]
    );
    // Its target learns of it by the delivery alone.
    let target = world.store().read(|r| journal::after(r, &list.cursor, Some(two), 100)).unwrap();
    let kinds: Vec<_> = target.events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["message.delivered"]);
}

#[test]
fn cancelled_restart_past_due() {
    let mut world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, after(5));
    let cancelled = world.sched().cancel_message(Caller::Agent(one), message.id).unwrap();
    assert_eq!(
        serde_json::to_value(cancelled.reply()).unwrap(),
        json!({ "id": message.id, "cancelled": true, "status": "cancelled" })
    );
    world.kill();
    world.pass(minutes(10));
    world.fire();
    assert_eq!(mailbox(&world, two), []);
    assert_eq!((world.list(one, false), world.list(one, true)), (vec![], vec![message.id]));
    assert!(world.sched().cancel_message(Caller::Person, message.id).unwrap().cancelled);
    assert_eq!(world.told("scheduled.cancelled", &message.id), 1);
    world.agree();
}

#[test]
fn a_message_is_its_senders_and_the_persons() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, after(5));
    let own = world.schedule(Caller::Person, two, after(5));
    for id in [message.id, own.id, ScheduleId::from_bits(9)] {
        let sched = world.sched();
        let two = Caller::Agent(two);
        assert_eq!(sched.message(two, id).unwrap_err().code(), "schedule_not_found");
        assert_eq!(sched.cancel_message(two, id).unwrap_err().code(), "schedule_not_found");
        assert_eq!(sched.retry_message(two, id).unwrap_err().code(), "schedule_not_found");
    }
    assert_eq!(world.list(two, true), []);
    assert_eq!(world.list(one, true), [message.id]);
    let mut both = [message.id, own.id];
    both.sort_unstable();
    assert_eq!(world.list(Caller::Person, true), both);
    world.pass(minutes(5));
    world.fire();
    let delivered = world.sched().cancel_message(Caller::Agent(one), message.id).unwrap();
    assert_eq!((delivered.cancelled, delivered.message.status), (false, Status::Delivered));
    assert_eq!(delivered.refusal().unwrap().code(), "schedule_settled");
    let from: Vec<_> = mailbox(&world, two).iter().map(|mail| mail.from.sender()).collect();
    assert!(from.contains(&mail::Sender::Person));
}

#[test]
fn schedule_message_in_366_days() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let schedule =
        |time| world.sched().schedule(Caller::Agent(one), NewMessage::new(two, body("x"), time));
    assert!(schedule(Time::After(HORIZON)).is_ok());
    let ms = i64::try_from(HORIZON.as_millis()).unwrap();
    assert!(schedule(Time::At(world.ahead(ms))).is_ok());
    let late = schedule(Time::After(HORIZON + Duration::from_millis(1))).unwrap_err();
    assert_eq!(late.code(), "schedule_too_far");
    assert!(late.to_string().ends_with("the latest instant is 2027-08-02T00:00:00.000Z"), "{late}");
    assert_eq!(schedule(Time::At(world.ahead(ms + 1))).unwrap_err().code(), "schedule_too_far");
    let year_9999 = Timestamp::from_millis(253_402_300_799_999).unwrap();
    assert_eq!(schedule(Time::At(year_9999)).unwrap_err().code(), "schedule_too_far");
    assert_eq!(schedule(Time::After(Duration::MAX)).unwrap_err().code(), "schedule_too_far");
    let expiring = NewMessage {
        expires_after: Some(HORIZON + Duration::from_millis(1)),
        ..NewMessage::new(two, body("x"), after(1))
    };
    let refused = world.sched().schedule(Caller::Agent(one), expiring).unwrap_err();
    assert_eq!(refused.code(), "schedule_too_far");
}

#[test]
fn lost_answer() {
    let mut world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let id = ScheduleId::from_bits(7);
    let key = CallKey::alone("nightly").unwrap();
    let new = NewMessage {
        id: Some(id),
        key: Some(key),
        ..NewMessage::new(two, body("later"), after(5))
    };
    let first = world.sched().schedule(Caller::Agent(one), new.clone()).unwrap();
    world.kill();
    assert_eq!(world.sched().schedule(Caller::Agent(one), new.clone()).unwrap(), first);
    assert_eq!(world.events(&["scheduled.created"]).len(), 1);
    // After it was delivered the reply says so.
    world.pass(minutes(10));
    world.fire();
    let again = world.sched().schedule(Caller::Agent(one), new.clone()).unwrap();
    assert_eq!((again.reply().status, again.due_at), (Status::Delivered, first.due_at));

    let conflict = |new| world.sched().schedule(Caller::Agent(one), new).unwrap_err().to_string();
    let other = NewMessage { body: body("longer than before"), ..new.clone() };
    assert_eq!(
        conflict(other),
        "sch_00000000000000000000000007 was used with another `message`: stored 5 characters, given 18 characters"
    );
    let other = NewMessage { id: None, target: one, ..new.clone() };
    assert!(conflict(other).starts_with("the key \"nightly\" was used with another `agent_id`"));
    let other = NewMessage { time: after(6), ..new.clone() };
    assert!(conflict(other).contains("another `duration`: stored 5m, given 6m"));
    let other = NewMessage { expires_after: Some(minutes(1)), ..new.clone() };
    assert!(conflict(other).contains("another `expires_after`: stored never, given 1m"));
    let foreign = world.sched().schedule(Caller::Person, new).unwrap_err();
    assert_eq!(foreign.to_string(), "sch_00000000000000000000000007 belongs to another caller");
    world.agree();
}

#[test]
fn finding_the_message_in_the_mailbox_counts_as_delivered() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let message = world.schedule(one, two, after(5));
    let same = Mail {
        id: Some(message.message_id()),
        kind: Kind::Scheduled,
        body: body("later"),
        ..mail_to(one, two)
    };
    assert!(world.send(same).0.new);
    let wait = world.wait_for(two, minutes(60));
    world.pass(minutes(5));
    let fired = world.fire();
    assert_eq!((fired.delivered[0].new, fired.waits.len()), (false, 0));
    assert_eq!(world.status(message.id), Status::Delivered);
    assert_eq!(world.reason(wait.id), None);
    assert_eq!(mailbox(&world, two).len(), 1);
}

#[test]
fn settled_messages_are_kept_up_to_a_thousand_per_sender() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let ids: Vec<_> = (0..1010)
        .map(|n| world.schedule(Caller::Person, two, Time::After(Duration::from_millis(n))).id)
        .collect();
    let others = world.schedule(one, two, Time::After(Duration::ZERO));
    let undelivered =
        world.schedule(Caller::Person, AgentId::from_bits(9), Time::After(Duration::ZERO));
    world.pass(minutes(1));
    world.fire();
    let all = world.list(Caller::Person, true);
    assert_eq!(all.len(), 500, "a page");
    let gone: Vec<_> = ids
        .iter()
        .filter(|id| world.sched().message(Caller::Person, **id).is_err())
        .map(ToString::to_string)
        .collect();
    assert_eq!(gone.len(), 10);
    let mut told: Vec<_> =
        world.events(&["records.pruned"]).iter().flat_map(|event| event.about.clone()).collect();
    told.sort_unstable();
    let mut gone_sorted = gone.clone();
    gone_sorted.sort_unstable();
    assert_eq!(told, gone_sorted);
    assert_eq!(world.status(others.id), Status::Delivered);
    assert_eq!(world.status(undelivered.id), Status::Undelivered);
    world.agree();
}

#[test]
fn a_listing_goes_on_where_its_page_ended() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let mut ids = Vec::new();
    for n in 0..3 {
        world.pass(Duration::from_millis(1));
        let time = after(5);
        let large = "x".repeat(300 << 10).chars().take(90_000 + n).collect::<String>();
        let new = NewMessage::new(two, body(&large), time);
        ids.push(world.sched().schedule(Caller::Agent(one), new).unwrap().id);
    }
    for _ in 0..600 {
        world.pass(Duration::from_millis(1));
        ids.push(world.schedule(one, two, after(5)).id);
        world.schedule(two, one, after(5));
    }
    let (mut listed, mut next, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = world.sched().messages(Caller::Agent(one), false, next).unwrap();
        listed.extend(page.items.iter().map(|message| message.id));
        pages += 1;
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    assert_eq!(listed, ids);
    assert_eq!(pages, 2);
    let person = world.sched().messages(Caller::Person, false, None).unwrap();
    assert_eq!(person.items.len(), messages::PAGE_ROWS);
}

#[test]
fn a_hundred_thousand_pending_messages_of_one_sender_are_enough() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    // So many were counted; making them all would take minutes.
    world.schedule(one, two, after(5));
    let counts = raw_table("sched/message_counts");
    world
        .write(move |tx, _| {
            let counted = json!({ "pending": MAX_PENDING_MESSAGES, "settled": 0 });
            Ok(tx.put(counts, &Caller::Agent(one), &counted)?)
        })
        .unwrap();
    let new = NewMessage::new(two, body("x"), after(5));
    let refused = world.sched().schedule(Caller::Agent(one), new.clone()).unwrap_err();
    assert_eq!(refused.code(), "too_many_scheduled");
    assert_eq!(
        refused.to_string(),
        "100000 scheduled messages are pending, and at most 100000 may be"
    );
    world.sched().schedule(Caller::Person, new).unwrap();
    let found = world.store().read(rig_sched::agree).unwrap();
    assert_eq!(found[0].what, "there are 1 pending and 0 settled, and 100000 and 0 were counted");
}
