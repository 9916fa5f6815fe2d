//! Waits: how they start, what ends them, what they answer.

use std::time::Duration;

use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::clock::ManualClock;
use rig_core::id::WaitId;
use rig_core::mail;
use rig_core::store::Table;
use rig_sched::parse::Time;
use rig_sched::waits::{self, NewWait, Reason};
use rig_sched::{MAX_PENDING_WAITS, MAX_WAIT};
use serde_json::json;

use crate::world::{World, mail as mail_to, minutes};

fn after(length: Duration) -> NewWait {
    NewWait::new(Time::After(length))
}

#[test]
fn a_wait_ends_when_it_is_due_and_not_before() {
    let world = World::new();
    let wait = world.wait_for(Caller::Person, Duration::from_secs(412));
    assert_eq!(world.next(), Some(Duration::from_secs(412)));
    world.pass(Duration::from_millis(411_999));
    assert_eq!(world.fire().waits, []);
    assert_eq!(world.next(), Some(Duration::from_millis(1)));
    world.pass(Duration::from_millis(1));
    let fired = world.fire();
    let outcome = fired.waits[0].outcome().unwrap();
    assert_eq!(
        serde_json::to_string(&outcome).unwrap(),
        format!(
            concat!(
                r#"{{"started_at":"2026-08-01T00:00:00.000Z","due_at":"2026-08-01T00:06:52.000Z","#,
                r#""ended_at":"2026-08-01T00:06:52.000Z","elapsed_seconds":412,"#,
                r#""interrupted":false,"reason":"elapsed","wait_id":"{}"}}"#
            ),
            wait.id
        )
    );
    assert_eq!(outcome.to_string(), "waited 412 s");
    assert_eq!(world.next(), None);
    world.agree();
    let events = world.events(&["wait.started", "wait.ended"]);
    assert_eq!(events.len(), 2);
    assert_eq!(events[1].data["late_ms"], json!(0));
}

#[test]
fn a_message_3250_ms_into_a_wait() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let wait = world.wait_for(one, minutes(5));
    world.pass(Duration::from_millis(3250));
    let (_, ended) = world.send(mail_to(two, one));
    let outcome = ended[0].outcome().unwrap();
    let told = serde_json::to_value(&outcome).unwrap();
    assert_eq!(told["elapsed_seconds"].to_string(), "3.25");
    assert_eq!(
        (told["interrupted"].clone(), told["reason"].clone()),
        (json!(true), json!("message_received"))
    );
    assert_eq!(world.look(wait.id).outcome(), Some(outcome));
    assert_eq!(world.told("wait.ended", &wait.id), 1);
    world.pass(minutes(10));
    assert_eq!(world.fire().waits, []);
    world.agree();
}

#[test]
fn elapsed_seconds_have_no_trailing_zeros() {
    for (ms, text) in [(412_000, "412"), (5100, "5.1"), (3250, "3.25"), (1, "0.001"), (0, "0")] {
        let seconds = waits::Seconds(Duration::from_millis(ms));
        assert_eq!(serde_json::to_string(&seconds).unwrap(), text);
        assert_eq!(seconds.to_string(), text);
        assert_eq!(serde_json::from_str::<waits::Seconds>(text).unwrap(), seconds);
    }
}

#[test]
fn thousand_waits() {
    let world = World::new();
    let mut random = 7_u64;
    let mut below = move |end: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % end
    };
    let waits: Vec<_> = (0..1000)
        .map(|_| world.wait_for(Caller::Person, Duration::from_millis(below(3_600_000))))
        .filter(|wait| wait.ended.is_none())
        .collect();
    let mut passed = 0;
    let mut ended = 0;
    while world.next().is_some() {
        let step = below(400_000);
        passed += step;
        world.pass(Duration::from_millis(step));
        for wait in world.fire().waits {
            let outcome = wait.outcome().unwrap();
            assert!(outcome.due_at <= world.now().wall, "none is early");
            assert_eq!(outcome.elapsed_seconds.0, Duration::from_millis(passed));
            ended += 1;
        }
    }
    assert_eq!(ended, waits.len());
    assert_eq!(world.events(&["wait.ended"]).len(), 1000);
    world.agree();
}

#[test]
fn restart_mid_wait() {
    let mut world = World::new();
    let wait = world.wait_for(Caller::Person, minutes(10));
    world.pass(minutes(4));
    world.restart();
    world.pass(minutes(21));
    world.kill();
    world.fire();
    let outcome = world.look(wait.id).outcome().unwrap();
    assert_eq!(
        (outcome.reason, outcome.elapsed_seconds.to_string()),
        (Reason::Elapsed, "1500".into())
    );
    assert_eq!(world.events(&["wait.ended"])[0].data["late_ms"], json!(900_000));
}

#[test]
fn cancel_answers() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let wait = world.wait_for(one, minutes(10));
    let cancel = |caller, id| world.sched().cancel_wait(caller, id);
    let unknown = WaitId::from_bits(9);
    assert_eq!(cancel(Caller::Agent(one), unknown).unwrap_err().code(), "wait_not_found");
    assert_eq!(cancel(Caller::Agent(two), wait.id).unwrap_err().code(), "wait_not_found");
    for _ in 0..2 {
        let cancelled = cancel(Caller::Agent(one), wait.id).unwrap();
        assert!(cancelled.cancelled && cancelled.refusal().is_none());
        assert_eq!(world.reason(wait.id), Some(Reason::Cancelled));
    }
    assert_eq!(world.told("wait.ended", &wait.id), 1);

    let elapsed = world.wait_for(one, Duration::ZERO);
    let cancelled = cancel(Caller::Person, elapsed.id).unwrap();
    assert!(!cancelled.cancelled);
    let refusal = cancelled.refusal().unwrap();
    assert_eq!(refusal.code(), "wait_settled");
    assert!(refusal.to_string().ends_with("ended as elapsed at 2026-08-01T00:00:00.000Z"));
    world.agree();
}

#[test]
fn cancel_against_fire() {
    // Whichever of the two looks first at a wait that is due, it has elapsed.
    let world = World::new();
    for fire_first in [true, false] {
        let wait = world.wait_for(Caller::Person, minutes(1));
        world.pass(minutes(1));
        if fire_first {
            world.fire();
        }
        let cancelled = world.sched().cancel_wait(Caller::Person, wait.id).unwrap();
        assert!(!cancelled.cancelled);
        assert_eq!(cancelled.wait.ended.unwrap().reason, Reason::Elapsed);
        assert_eq!(world.fire().waits, []);
        assert_eq!(world.told("wait.ended", &wait.id), 1);
    }
}

#[test]
fn cancel_after_restart() {
    let mut world = World::new();
    let one = world.agent(1);
    let wait = world.wait_for(one, minutes(10));
    world.kill();
    assert!(world.sched().cancel_wait(Caller::Agent(one), wait.id).unwrap().cancelled);
    assert_eq!(world.read(|r| waits::pending_of(r, Caller::Agent(one), 1)), []);
}

#[test]
fn waiting_is_visible() {
    let mut world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    world.wait_for(one, minutes(120));
    let first = world.wait_for(one, minutes(60));
    world.restart();
    let waiting = |world: &World| world.read(|r| waits::pending_of(r, Caller::Agent(one), 1));
    assert_eq!(waiting(&world)[0].id, first.id);
    let told = serde_json::to_value(waiting(&world)[0].waiting(world.now())).unwrap();
    assert_eq!(
        told,
        json!({
            "wait_id": first.id,
            "status": "waiting",
            "started_at": "2026-08-01T00:00:00.000Z",
            "due_at": "2026-08-01T01:00:00.000Z",
            "elapsed_seconds": 0,
        })
    );
    let (_, ended) = world.send(mail_to(two, one));
    assert_eq!(ended.len(), 2);
    assert_eq!(waiting(&world), []);
    world.agree();
}

#[test]
fn a_wait_that_cannot_be_read_hides_none_behind_it() {
    let world = World::new();
    let one = world.agent(1);
    let (bad, good) = (world.wait_for(one, minutes(5)), world.wait_for(one, minutes(6)));
    let waits_of_the_store: Table<WaitId, serde_json::Value> = Table::new("sched/waits");
    world.write(move |tx, _| Ok(tx.put(waits_of_the_store, &bad.id, &json!({}))?)).unwrap();
    let pending = world.read(|r| waits::pending_of(r, Caller::Agent(one), 1));
    assert_eq!(pending, std::slice::from_ref(&good));
    // Whatever ends the agent's waits puts it aside.
    let ended = world.sched().agent_stopped(one).unwrap();
    assert_eq!(ended.iter().map(|wait| wait.id).collect::<Vec<_>>(), [good.id]);
    assert_eq!(world.events(&["store.quarantined"]).len(), 1);
    assert_eq!(world.next(), None);
    world.agree();
}

#[test]
fn duplicate_message() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    let id = Some(rig_core::id::MessageId::from_bits(5));
    let message = mail::NewMessage { id, ..mail_to(two, one) };
    assert!(world.send(message.clone()).0.new);
    let wait = world.wait_for(one, minutes(5));
    let (delivered, ended) = world.send(message);
    assert!(!delivered.new && ended.is_empty());
    assert_eq!(world.reason(wait.id), None);
}

#[test]
fn presence_no_interrupt() {
    // A change of presence is an event and no message: only what is newly stored ends a wait.
    let world = World::new();
    let wait = world.wait_for(world.agent(1), minutes(5));
    world.write(|tx, _| Ok(tx.event("presence.changed", &[], None, &json!({}))?)).unwrap();
    assert_eq!(world.reason(wait.id), None);
}

#[test]
fn seen_gap() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    (0..8).for_each(|_| drop(world.send(mail_to(two, one))));
    let seen = |seen| NewWait { seen: Some(seen), ..after(minutes(5)) };
    let ended = world.sched().start_wait(Caller::Agent(one), seen(7)).unwrap();
    assert_eq!(ended.ended.unwrap().reason, Reason::MessageReceived);
    let waits = world.sched().start_wait(Caller::Agent(one), seen(8)).unwrap();
    assert_eq!(waits.ended, None);
    // What is due has elapsed, whatever else there is.
    let due = NewWait { seen: Some(7), ..after(Duration::ZERO) };
    let due = world.sched().start_wait(Caller::Agent(one), due).unwrap();
    assert_eq!(due.ended.unwrap().reason, Reason::Elapsed);
    let refused = world.sched().start_wait(Caller::Person, seen(7)).unwrap_err();
    assert_eq!(refused.code(), "bad_request");
    world.agree();
}

#[test]
fn wall_forward() {
    let world = World::new();
    let length = world.wait_for(Caller::Person, minutes(30));
    let until = world.wait(Caller::Person, Time::At(world.ahead(30 * 60_000)));
    world.step(3_600_000);
    let fired = world.fire();
    assert_eq!(fired.waits.iter().map(|wait| wait.id).collect::<Vec<_>>(), [until.id]);
    assert_eq!(world.reason(length.id), None);
    world.pass(minutes(30));
    world.fire();
    let outcome = world.look(length.id).outcome().unwrap();
    assert_eq!(outcome.elapsed_seconds.to_string(), "1800");
}

#[test]
fn wall_back() {
    let world = World::new();
    let length = world.wait_for(Caller::Person, minutes(30));
    let until = world.wait(Caller::Person, Time::At(world.ahead(30 * 60_000)));
    world.step(-3_600_000);
    world.pass(minutes(30));
    world.fire();
    let outcome = world.look(length.id).outcome().unwrap();
    // It is not said to have ended before it was due.
    assert_eq!(
        (outcome.ended_at, outcome.elapsed_seconds.to_string()),
        (outcome.due_at, "1800".into())
    );
    assert_eq!(world.reason(until.id), None);
    world.pass(minutes(60));
    world.fire();
    assert_eq!(world.reason(until.id), Some(Reason::Elapsed));
    let ended = world.look(until.id).outcome().unwrap();
    assert_eq!(ended.elapsed_seconds.to_string(), "5400");
}

#[test]
fn sleep_counts() {
    let world = World::new();
    let wait = world.wait_for(Caller::Person, minutes(30));
    // Asleep for 20 minutes.
    world.pass(minutes(20));
    assert_eq!(world.next(), Some(minutes(10)));
    world.pass(minutes(10));
    world.fire();
    assert_eq!(world.reason(wait.id), Some(Reason::Elapsed));
}

#[test]
fn reboot_mid_wait() {
    let mut world = World::new();
    let wait = world.wait_for(Caller::Person, minutes(60));
    world.pass(minutes(10));
    world.clock.reboot(minutes(20));
    world.kill();
    assert_eq!(world.fire().waits, []);
    assert_eq!(world.next(), Some(minutes(30)));
    // The new start's clock measures what is left.
    world.step(-7_200_000);
    world.pass(minutes(29));
    assert_eq!(world.fire().waits, []);
    world.pass(minutes(1));
    world.fire();
    let outcome = world.look(wait.id).outcome().unwrap();
    assert_eq!((outcome.reason, outcome.ended_at), (Reason::Elapsed, outcome.due_at));
    assert_eq!(outcome.elapsed_seconds.to_string(), "3600");
}

#[test]
fn a_wait_never_has_longer_to_go_than_its_length() {
    let mut world = World::new();
    let wait = world.wait_for(Caller::Person, minutes(60));
    world.clock.reboot(minutes(5));
    world.step(-24 * 3_600_000);
    world.restart();
    world.fire();
    assert_eq!(world.next(), Some(minutes(60)));
    world.pass(minutes(60));
    assert_eq!(world.fire().waits[0].id, wait.id);
}

#[test]
fn without_a_boot_id_a_wait_follows_the_wall_clock() {
    let world = World::at(ManualClock::without_boot("2026-08-01T00:00:00Z".parse().unwrap()));
    let wait = world.wait_for(Caller::Person, minutes(60));
    world.step(3_600_000);
    assert_eq!(world.fire().waits[0].id, wait.id);
}

#[test]
fn same_key() {
    let world = World::new();
    let key = CallKey::new("turn", "call", 3).unwrap();
    let new = NewWait { key: Some(key.clone()), ..after(minutes(5)) };
    let first = world.sched().start_wait(Caller::Person, new.clone()).unwrap();
    world.pass(minutes(2));
    let again = world.sched().start_wait(Caller::Person, new.clone()).unwrap();
    assert_eq!(again, first);
    assert_eq!(world.events(&["wait.started"]).len(), 1);
    assert_eq!(world.read(|r| waits::by_key(r, Caller::Person, &key)), Some(first.clone()));

    // What it has seen may differ, and its ID may be left out; its length may not differ.
    let other = NewWait { time: Time::After(minutes(6)), ..new.clone() };
    let conflict = world.sched().start_wait(Caller::Person, other).unwrap_err();
    assert_eq!(conflict.code(), "key_conflict");
    assert_eq!(
        conflict.to_string(),
        "the key \"call\" of batch \"turn\" was used with another `duration`: stored 5m, given 6m"
    );
    let other = NewWait { id: Some(WaitId::from_bits(3)), ..new.clone() };
    assert_eq!(world.sched().start_wait(Caller::Person, other).unwrap_err().code(), "key_conflict");

    world.pass(minutes(9));
    world.fire();
    let settled = world.sched().start_wait(Caller::Person, new.clone()).unwrap();
    assert_eq!(settled.outcome(), world.look(first.id).outcome());
    // Another caller's equal key is another's.
    let other = world.sched().start_wait(Caller::Agent(world.agent(1)), new).unwrap();
    assert_ne!(other.id, first.id);
    world.agree();
}

#[test]
fn the_same_id_is_the_same_wait_and_another_callers_is_refused_without_its_content() {
    let world = World::new();
    let one = world.agent(1);
    let id = WaitId::from_bits(77);
    let new = NewWait { id: Some(id), ..after(minutes(5)) };
    let first = world.sched().start_wait(Caller::Agent(one), new.clone()).unwrap();
    assert_eq!(world.sched().start_wait(Caller::Agent(one), new.clone()).unwrap(), first);
    let until = NewWait { time: Time::At(world.ahead(5)), ..new.clone() };
    let conflict = world.sched().start_wait(Caller::Agent(one), until).unwrap_err();
    assert_eq!(conflict.code(), "id_conflict");
    assert!(
        conflict.to_string().contains("another `at`: stored 5m, given 2026-08-01T00:00:00.005Z")
    );
    let foreign = world.sched().start_wait(Caller::Person, new).unwrap_err();
    assert_eq!(foreign.code(), "id_conflict");
    assert_eq!(foreign.to_string(), "wait_0000000000000000000000002d belongs to another caller");
}

#[test]
fn the_waits_of_a_batch_are_listed_by_index() {
    let world = World::new();
    let keyed = |batch, call, index| NewWait {
        key: Some(CallKey::new(batch, call, index).unwrap()),
        ..after(minutes(5))
    };
    let mut ids = Vec::new();
    for (call, index) in [("z", 0), ("a", 2), ("m", 1)] {
        let wait = world.sched().start_wait(Caller::Person, keyed("turn 1", call, index)).unwrap();
        ids.push((index, wait.id));
    }
    world.sched().start_wait(Caller::Person, keyed("turn 2", "z", 0)).unwrap();
    ids.sort_unstable();
    let batch = world.read(|r| waits::of_batch(r, Caller::Person, "turn 1"));
    let found: Vec<_> =
        batch.iter().map(|wait| (wait.key.clone().unwrap().index(), wait.id)).collect();
    assert_eq!(found, ids);
}

#[test]
fn limits_of_a_wait() {
    let world = World::new();
    let start = |time| world.sched().start_wait(Caller::Person, NewWait::new(time));
    assert!(start(Time::After(MAX_WAIT)).is_ok());
    let day = 86_400_000;
    assert!(start(Time::At(world.ahead(day))).is_ok());
    let refused = start(Time::After(MAX_WAIT + Duration::from_millis(1))).unwrap_err();
    assert_eq!(refused.code(), "wait_too_long");
    assert_eq!(
        refused.to_string(),
        "1day 1ms is longer than the longest wait, 1day; the latest instant is 2026-08-02T00:00:00.000Z"
    );
    assert_eq!(start(Time::At(world.ahead(day + 1))).unwrap_err().code(), "wait_too_long");
    assert_eq!(start(Time::After(Duration::MAX)).unwrap_err().code(), "wait_too_long");

    // One that is due already is not before its start, and has ended.
    let past = start(Time::At(world.ahead(-3_600_000))).unwrap();
    assert_eq!(past.due_at, past.started_at);
    let outcome = past.outcome().unwrap();
    assert_eq!(outcome.elapsed_seconds.to_string(), "0");
    assert_eq!(world.told("wait.ended", &past.id), 1);
    world.agree();
}

#[test]
fn ten_thousand_waits_of_one_caller_are_enough() {
    let world = World::new();
    let caller = Caller::Agent(world.agent(1));
    let first = NewWait { key: Some(CallKey::alone("k").unwrap()), ..after(minutes(9)) };
    let known = world.sched().start_wait(caller, first.clone()).unwrap();
    // So many were counted; starting them all would take long.
    let counts: Table<Caller, serde_json::Value> = Table::new("sched/wait_counts");
    world
        .write(move |tx, _| {
            let counted = json!({ "pending": MAX_PENDING_WAITS, "settled": 0 });
            Ok(tx.put(counts, &caller, &counted)?)
        })
        .unwrap();
    let refused = world.sched().start_wait(caller, after(minutes(9))).unwrap_err();
    assert_eq!(refused.code(), "too_many_waits");
    assert_eq!(refused.to_string(), "10000 waits are pending, and at most 10000 may be");
    // One that is known is looked up before, one that is due already is not pending, and another
    // caller is not concerned.
    assert_eq!(world.sched().start_wait(caller, first).unwrap(), known);
    assert!(world.sched().start_wait(caller, after(Duration::ZERO)).is_ok());
    world.wait_for(Caller::Person, minutes(9));
}

#[test]
fn one_message_ends_many_waits_and_prunes_once() {
    let world = World::new();
    let (one, two) = (world.agent(1), world.agent(2));
    world
        .write(move |tx, now| {
            (0..1500).try_for_each(|_| {
                waits::start(tx, now, Caller::Agent(one), &after(minutes(9))).map(drop)
            })
        })
        .unwrap();
    let (_, ended) = world.send(mail_to(two, one));
    assert_eq!(ended.len(), 1500);
    let pruned = world.events(&["records.pruned"]);
    assert_eq!((pruned.len(), pruned[0].about.len()), (1, 500));
    assert_eq!(pruned[0].agent_id, Some(one));
    world.wait_for(one, minutes(9));
    world.agree();
}

#[test]
fn settled_waits_are_kept_up_to_a_thousand_per_caller_the_oldest_go_first() {
    let world = World::new();
    let waits: Vec<_> = (0..1003)
        .map(|_| {
            world.pass(Duration::from_millis(1));
            world.wait_for(Caller::Person, Duration::ZERO).id
        })
        .collect();
    for gone in &waits[..3] {
        let error = world.sched().wait(Caller::Person, *gone).unwrap_err();
        assert_eq!(error.to_string(), format!("there is no wait {gone}"));
    }
    assert_eq!(world.reason(waits[3]), Some(Reason::Elapsed));
    let pruned = world.events(&["records.pruned"]);
    let about: Vec<_> = pruned.iter().flat_map(|event| event.about.clone()).collect();
    assert_eq!(about, waits[..3].iter().map(ToString::to_string).collect::<Vec<_>>());
    world.agree();
}

#[test]
fn whatever_stops_an_agent_ends_its_waits() {
    let world = World::new();
    let one = world.agent(1);
    let (due, later) = (world.wait_for(one, minutes(5)), world.wait_for(one, minutes(10)));
    let others = world.wait_for(world.agent(2), minutes(10));
    world.pass(minutes(5));
    let ended = world.sched().agent_stopped(one).unwrap();
    assert_eq!(ended.len(), 2);
    assert_eq!(world.reason(due.id), Some(Reason::Elapsed));
    assert_eq!(world.reason(later.id), Some(Reason::AgentStopped));
    assert_eq!(world.reason(others.id), None);
    assert_eq!(world.sched().agent_stopped(one).unwrap(), []);
    world.agree();
}

#[test]
fn rollback_silent() {
    let world = World::new();
    let mut news = world.store().subscribe();
    let failed: rig_sched::Result<()> = world.write(|tx, now| {
        waits::start(tx, now, Caller::Person, &after(minutes(5)))?;
        Err(rig_sched::Error::WaitNotFound { id: WaitId::from_bits(1) })
    });
    assert_eq!(failed.unwrap_err().code(), "wait_not_found");
    assert_eq!(world.next(), None);
    assert_eq!(world.events(&["wait.started"]), []);
    assert!(!news.wait(Duration::ZERO));
    world.agree();
}
