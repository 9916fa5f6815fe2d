//! Records as releases have written them.

use std::time::Duration;

use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::{ScheduleId, WaitId};
use rig_core::store::{Key, Read as _, Table};
use rig_sched::messages::{Failure, Message, Status};
use rig_sched::parse::Time;
use rig_sched::waits::{NewWait, Reason, Wait};
use serde_json::{Value, json};

use crate::world::{World, mail};

/// A sample without the field that no release has written yet.
fn today(sample: &str) -> Value {
    let mut value: Value = serde_json::from_str(sample).unwrap();
    value.as_object_mut().unwrap().remove("a_field_of_a_later_release");
    value
}

fn put<K: Key + Copy + Send + 'static>(world: &World, table: &'static str, key: K, sample: &str) {
    let record: Value = serde_json::from_str(sample).unwrap();
    world.write(move |tx, _| Ok(tx.put(Table::new(table), &key, &record)?)).unwrap();
}

fn stored<K: Key>(world: &World, table: &'static str, key: &K) -> Value {
    world.read(|r| Ok(r.get(Table::new(table), key)?)).unwrap()
}

fn wait(sample: &str) -> (World, Wait) {
    let world = World::new();
    let id = WaitId::from_bits(1);
    put(&world, "sched/waits", id, sample);
    let wait = world.look(id);
    (world, wait)
}

#[test]
fn a_wait_of_the_first_release_is_read_and_written_alike() {
    let sample = include_str!("samples/wait.json");
    let (world, wait) = wait(sample);
    assert_eq!(wait.caller.agent().unwrap().to_string(), "agt_06fbj2k7zw7v3r5c1hq8m9tnp0");
    assert_eq!(wait.key, Some(CallKey::new("turn 7", "call_1", 2).unwrap()));
    assert_eq!(wait.time, Time::After(Duration::from_secs(5)));
    assert_eq!(wait.requested, json!({ "seconds": 5 }));
    assert_eq!(wait.started_at.to_string(), "2026-08-01T18:30:00.000Z");
    let boot = wait.started_boot.unwrap();
    assert_eq!(
        (boot.id.to_string(), boot.ms),
        ("5c6ac1d0-54a8-4a8a-9d9c-3c1f8e1b2a77".into(), 91_250)
    );
    assert_eq!(wait.due_at.to_string(), "2026-08-01T18:30:05.000Z");
    let outcome = wait.outcome().unwrap();
    assert_eq!(outcome.reason, Reason::MessageReceived);
    assert_eq!(outcome.ended_at.to_string(), "2026-08-01T18:30:03.250Z");
    assert_eq!(outcome.elapsed_seconds.to_string(), "3.25");

    // A wait that a message ends today is written alike.
    let (one, two) = (world.agent(1), world.agent(2));
    let new = NewWait {
        key: wait.key.clone(),
        requested: wait.requested.clone(),
        ..NewWait::new(wait.time)
    };
    let started = world.sched().start_wait(Caller::Agent(one), new).unwrap();
    world.pass(Duration::from_millis(3250));
    world.send(mail(two, one));
    let (written, sample) = (stored(&world, "sched/waits", &started.id), today(sample));
    let fields = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(&written), fields(&sample));
    for same in ["key", "time", "requested"] {
        assert_eq!(written[same], sample[same]);
    }
    assert_eq!(written["ended"]["elapsedMs"], sample["ended"]["elapsedMs"]);
    assert_eq!(written["ended"]["reason"], sample["ended"]["reason"]);
}

#[test]
fn a_wait_with_the_least_of_fields_is_read_and_written_alike() {
    let sample = include_str!("samples/wait-least.json");
    let (world, wait) = wait(sample);
    assert_eq!((wait.caller, wait.key, wait.ended), (Caller::Person, None, None));
    assert_eq!(wait.time, Time::At("2026-08-01T00:05:00Z".parse().unwrap()));

    // What is written today for the same wait has the same form.
    let until = world.wait(Caller::Person, wait.time);
    let mut written = stored(&world, "sched/waits", &until.id);
    written.as_object_mut().unwrap().remove("startedBoot");
    assert_eq!(written, today(sample));
}

#[test]
fn a_message_of_the_first_release_is_read_and_written_alike() {
    let world = World::new();
    let id = ScheduleId::from_bits(1);
    let sample = include_str!("samples/message.json");
    put(&world, "sched/messages", id, sample);
    let message = world.message(id);
    let expected = Message {
        id,
        sender: Caller::Agent("agt_06fbj2k7zw7v3r5c1hq8m9tnp0".parse().unwrap()),
        target_agent_id: "agt_16fbj2k7zw7v3r5c1hq8m9tnp0".parse().unwrap(),
        message: crate::world::body("Look at the retries"),
        due_at: "2026-08-01T18:30:00Z".parse().unwrap(),
        status: Status::Undelivered,
        created_at: "2026-08-01T17:30:00Z".parse().unwrap(),
        updated_at: "2026-08-01T19:29:59.125Z".parse().unwrap(),
        delivered_at: None,
        failure: Some(Failure { code: "mailbox_full".into(), message: "it is full".into() }),
        attempts: 19,
        next_attempt_at: None,
        expires_at: Some("2026-08-01T20:30:00Z".parse().unwrap()),
        requested: json!({ "hours": 1, "expires_after": "2h" }),
        key: Some(CallKey::alone("nightly").unwrap()),
        time: Time::After(Duration::from_hours(1)),
        expires_after: Some(Duration::from_hours(2)),
        first_attempt_at: Some("2026-08-01T18:30:00.500Z".parse().unwrap()),
    };
    assert_eq!(message, expected);

    // What is written today keeps all of it but what changed.
    let cancelled = world.sched().cancel_message(Caller::Person, id).unwrap().message;
    let mut written = today(sample);
    written["status"] = json!("cancelled");
    written["updatedAt"] = json!(cancelled.updated_at);
    assert_eq!(stored(&world, "sched/messages", &id), written);
}

#[test]
fn a_message_with_the_least_of_fields_is_read_and_written_alike() {
    let world = World::new();
    let sample = include_str!("samples/message-least.json");
    let id = ScheduleId::from_bits(1);
    put(&world, "sched/messages", id, sample);
    let read = world.message(id);
    assert_eq!((read.status, read.expires_at, read.key), (Status::Pending, None, None));
    let written = world.schedule(Caller::Person, read.target_agent_id, read.time);
    assert_eq!(stored(&world, "sched/messages", &written.id), today(sample));
}
