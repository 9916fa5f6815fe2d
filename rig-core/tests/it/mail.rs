use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::MessageId;
use rig_core::mail::{Body, Delivered, Kind, MAX_FROM_SENDER, NewMessage, Reception, Sender};
use rig_core::store::{Table, Transact as _};

use rig_core::id::AgentId;
use serde_json::{Value, json};

use crate::team::{Team, body, message, texts};

#[test]
fn what_one_sender_sends_arrives_in_that_order() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    for text in ["first", "second", "third"] {
        assert!(team.deliver(&message(one, other, text)).unwrap().new);
    }
    let fetched = team.fetch(other, 100).unwrap();
    assert_eq!(texts(&fetched), [(1, "first"), (2, "second"), (3, "third")]);
    assert_eq!((fetched.acked, fetched.last, fetched.more), (0, 3, false));
}

#[test]
fn receive_twice_without_ack_then_ack_3_then_2_then_above() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    team.deliver_numbered(one, other, 5);
    let first = team.fetch(other, 4).unwrap();
    assert_eq!((texts(&first).len(), first.last, first.more), (4, 4, true));
    assert_eq!(team.fetch(other, 4).unwrap(), first);
    assert_eq!(team.ack(other, 3).unwrap().acked, 3);
    assert_eq!(team.ack(other, 2).unwrap().acked, 3);
    let error = team.ack(other, 5).unwrap_err();
    assert_eq!(error.code(), "ack_ahead");
    assert_eq!(error.to_string(), "5 was not handed out yet: the highest number handed out is 4");
    assert_eq!(texts(&team.fetch(other, 100).unwrap()), [(4, "4"), (5, "5")]);
    assert_eq!(team.events("message.acked").len(), 1);
}

#[test]
fn done_is_done() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    team.deliver_numbered(one, other, 5);
    team.fetch(other, 100).unwrap();
    team.ack(other, 3).unwrap();
    let team = team.restart();
    assert_eq!(texts(&team.fetch(other, 100).unwrap()), [(4, "4"), (5, "5")]);
}

#[test]
fn foreign_id() {
    let team = Team::new();
    let (one, two, target) = (team.primary("1"), team.primary("2"), team.primary("T"));
    let id = Some(MessageId::from_bits(7));
    let from_one = NewMessage { id, ..message(one, target, "same") };
    let from_two = NewMessage { id, ..message(two, target, "same") };
    let first = team.deliver(&from_one).unwrap();
    assert!(first.new && team.deliver(&from_two).unwrap().new);
    let again = team.deliver(&from_one).unwrap();
    assert_eq!((again.seq, again.new, again.id), (first.seq, false, first.id));
    assert_eq!(team.mailbox(target).newest(), 2);
    assert_eq!(team.events("message.delivered").len(), 2);
    let other = NewMessage { body: body("other!"), ..from_one };
    let error = team.deliver(&other).unwrap_err();
    assert_eq!(error.code(), "id_conflict");
    assert_eq!(
        error.to_string(),
        "msg_00000000000000000000000007 is a message with another `message`: stored 4 characters, given 6 characters"
    );
}

#[test]
fn full_mailbox() {
    let team = Team::new();
    let (one, target) = (team.primary("One"), team.primary("T"));
    let full = usize::try_from(MAX_FROM_SENDER).unwrap();
    (0..10).for_each(|_| team.deliver_many(&message(one, target, "x"), full / 10));
    let error = team.deliver(&message(one, target, "x")).unwrap_err();
    assert_eq!(error.code(), "mailbox_full");
    assert_eq!(
        error.to_string(),
        format!(
            "the mailbox of {target} is full: it has 10000 unacknowledged messages from this sender of at most 10000; the receiver must acknowledge messages first"
        )
    );
    assert_eq!(team.mailbox(target).unacked(), MAX_FROM_SENDER);
    let from_person = NewMessage::new(Caller::Person.into(), target, body("hello"));
    assert_eq!(team.deliver(&from_person).unwrap().seq, MAX_FROM_SENDER + 1);
    let from_rig = NewMessage { from: Sender::Rig, ..from_person };
    assert_eq!(team.deliver(&from_rig).unwrap().seq, MAX_FROM_SENDER + 2);
    team.fetch(target, 1).unwrap();
    team.ack(target, 1).unwrap();
    assert!(team.deliver(&message(one, target, "x")).unwrap().new);
    assert_eq!(team.deliver(&message(one, target, "x")).unwrap_err().code(), "mailbox_full");
}

#[test]
fn bodies_that_are_refused() {
    let code = |text: &str| Body::new(text).map_or_else(|error| error.code(), |_| "accepted");
    assert_eq!(code(""), "message_empty");
    assert_eq!(code(" \n\t\u{a0}"), "message_empty");
    assert_eq!(code("a\0b"), "bad_request");
    assert_eq!(code(&"🦀".repeat(100_000)), "accepted");
    assert_eq!(code(&"🦀".repeat(100_001)), "too_long");
    assert_eq!(Body::from_bytes(vec![b'a', 0xff]).unwrap_err().code(), "bad_request");
    assert_eq!(
        Body::new("x".repeat(100_001)).unwrap_err().to_string(),
        "the message has 100001 characters, and at most 100000 are allowed; it is never shortened"
    );
}

#[test]
fn a_message_of_100_000_characters_of_4_bytes_arrives_alone() {
    let team = Team::new();
    let (one, target) = (team.primary("One"), team.primary("T"));
    let large = "🦀".repeat(100_000);
    team.deliver_many(&message(one, target, &large), 3);
    let fetched = team.fetch(target, 100).unwrap();
    assert_eq!(texts(&fetched), [(1, large.as_str())]);
    assert!(fetched.more);
}

#[test]
fn handshake_lasts() {
    let team = Team::new();
    let (one, target) = (team.primary("One"), team.primary("T"));
    let child = team.below(one, "Child");
    team.shake_hands(one, target);
    let team = team.restart();
    assert!(team.send(&message(one, target, "hello")).unwrap().new);
    for refused in
        [message(child, target, "hello"), message(one, one, "me"), message(one, child, "x")]
    {
        let error = team.send(&refused).unwrap_err();
        assert_eq!(error.code(), "handshake_required");
        assert_eq!(
            error.to_string(),
            "Call agent_info with this agent ID before sending it a message."
        );
    }
    assert_eq!((team.mailbox(target).newest(), team.mailbox(one).newest()), (1, 0));
    team.set_title(Caller::Person, target, "Renamed").unwrap();
    assert_eq!(team.send(&message(one, target, "again")).unwrap().seq, 2);
    team.shake_hands(one, one);
    assert!(team.send(&message(one, one, "me")).unwrap().new);
    assert!(team.send(&NewMessage::new(Sender::Person, child, body("x"))).unwrap().new);
}

#[test]
fn a_key_counts_once_per_sender_and_target() {
    let team = Team::new();
    let (one, two, target) = (team.primary("1"), team.primary("2"), team.primary("T"));
    let key = |batch: &str| Some(CallKey::new(batch, "toolu_1", 3).unwrap());
    let from = |sender, key| NewMessage {
        key,
        reception: Reception::Listening,
        ..message(sender, target, "same")
    };
    let first = team.deliver(&from(one, key("turn 1"))).unwrap();
    let team = team.restart();
    // The receiver's process is gone meanwhile; the answer is the first one all the same.
    let again = NewMessage { reception: Reception::Stored, ..from(one, key("turn 1")) };
    assert_eq!(team.deliver(&again).unwrap(), Delivered { new: false, ..first });
    assert_eq!(first.reception, Reception::Listening);
    assert!(team.deliver(&from(one, key("turn 2"))).unwrap().new);
    assert!(team.deliver(&from(two, key("turn 1"))).unwrap().new);
    assert!(team.deliver(&NewMessage { to: two, ..from(one, key("turn 1")) }).unwrap().new);
    let other = NewMessage { body: body("other content"), ..from(one, key("turn 1")) };
    let error = team.deliver(&other).unwrap_err();
    assert_eq!(error.code(), "key_conflict");
    assert_eq!(
        error.to_string(),
        "the key \"toolu_1\" of batch \"turn 1\" belongs to a message with another `message`: stored 4 characters, given 13 characters"
    );
    assert_eq!(team.mailbox(target).newest(), 3);
}

#[test]
fn an_unknown_target_or_sender_stores_nothing() {
    let team = Team::new();
    let (one, nobody) = (team.primary("One"), AgentId::generate());
    for refused in [message(one, nobody, "hello"), message(nobody, one, "hello")] {
        let error = team.deliver(&refused).unwrap_err();
        assert_eq!(error.code(), "agent_not_found");
        assert_eq!(error.to_string(), format!("there is no agent {nobody}"));
    }
    assert_eq!(team.send(&message(one, nobody, "hello")).unwrap_err().code(), "agent_not_found");
    assert_eq!(team.fetch(nobody, 1).unwrap_err().code(), "agent_not_found");
    assert_eq!(team.ack(nobody, 0).unwrap_err().code(), "agent_not_found");
    assert_eq!(team.mailbox(one).newest(), 0);
    assert_eq!(team.events("message.").len(), 0);
}

/// A mailbox that holds so much, as its row says.
fn holding(team: &Team, agent: AgentId, messages: u64, bytes: u64) {
    let table: Table<AgentId, Value> = Table::new("core/mailboxes");
    let row = json!({
        "next": messages + 1, "handed": 0, "acked": 0, "pruned": 0, "bytes": bytes, "ackedBytes": 0,
    });
    team.store
        .write(move |tx| tx.put(table, &agent, &row))
        .unwrap_or_else(|error: rig_core::store::Error| panic!("{error}"));
}

#[test]
fn what_must_arrive_is_never_refused() {
    let team = Team::new();
    let (one, target) = (team.primary("One"), team.primary("T"));
    holding(&team, target, 200_000, 200_000);
    let of = |kind| team.deliver(&NewMessage { kind, ..message(one, target, "x") });
    for kind in [Kind::Message, Kind::Task, Kind::Scheduled] {
        let error = of(kind).unwrap_err();
        assert_eq!(error.code(), "mailbox_full", "{kind}");
        assert!(error.to_string().contains("it has 200000 unacknowledged messages of at most"));
    }
    for kind in [Kind::Answer, Kind::Completion, Kind::Suspension] {
        assert!(of(kind).unwrap().new, "{kind}");
    }
    for from in [Sender::Person, Sender::Rig] {
        assert!(team.deliver(&NewMessage::new(from, target, body("x"))).unwrap().new);
    }
    assert_eq!(team.mailbox(target).unacked(), 200_005);
}

#[test]
fn a_mailbox_is_full_by_its_bytes() {
    let team = Team::new();
    let (one, target) = (team.primary("One"), team.primary("T"));
    let limit = 256 << 20;
    holding(&team, target, 700, limit - 5);
    let error = team.deliver(&message(one, target, "123456")).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the mailbox of {target} is full: it has 268435451 bytes of unacknowledged messages of at most 268435456; the receiver must acknowledge messages first"
        )
    );
    assert!(team.deliver(&message(one, target, "12345")).unwrap().new);
    assert_eq!(team.mailbox(target).unacked_bytes(), limit);
}

#[test]
fn bytes_that_are_acknowledged_count_no_more() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    team.deliver_many(&message(one, other, "0123456789"), 3);
    assert_eq!(team.mailbox(other).unacked_bytes(), 30);
    team.fetch(other, 100).unwrap();
    assert_eq!(team.ack(other, 2).unwrap().unacked_bytes(), 10);
    assert_eq!(team.ack(other, 3).unwrap().unacked_bytes(), 0);
}

#[test]
fn what_is_acknowledged_wakes_nobody() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    team.deliver_numbered(one, other, 3);
    assert!(team.mailbox(other).has_after(2) && !team.mailbox(other).has_after(3));
    team.fetch(other, 100).unwrap();
    team.ack(other, 3).unwrap();
    assert!(!team.mailbox(other).has_after(0));
    assert!(!team.mailbox(other).has_after(100));
    team.deliver_numbered(one, other, 1);
    assert!(team.mailbox(other).has_after(0) && team.mailbox(other).has_after(3));
}

#[test]
fn limits_of_a_fetch() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    team.deliver_many(&message(one, other, "x"), 1001);
    let count = |limit| team.fetch(other, limit).map(|fetched| fetched.messages.len());
    assert_eq!((count(1).unwrap(), count(100).unwrap(), count(1000).unwrap()), (1, 100, 1000));
    for refused in [0, 1001] {
        let error = count(refused).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("bad_request", "`limit` must be 1 to 1000")
        );
    }
    let large = "x".repeat(100_000);
    let many = team.primary("Many");
    team.deliver_many(&message(one, many, &large), 10);
    let fetched = team.fetch(many, 1000).unwrap();
    assert_eq!((fetched.messages.len(), fetched.more), (5, true));
}

#[test]
fn events_hold_ids_and_numbers_and_never_text() {
    let team = Team::new();
    let (one, other) = (team.primary("Secret title"), team.primary("Other"));
    let sent =
        NewMessage { id: Some(MessageId::from_bits(7)), ..message(one, other, "Secret body") };
    team.deliver(&sent).unwrap();
    team.fetch(other, 1).unwrap();
    team.ack(other, 1).unwrap();
    let events = team.events("message.");
    let told: Vec<_> = events
        .iter()
        .map(|e| (e.kind.as_str(), e.about.clone(), e.agent_id, e.data.clone()))
        .collect();
    let id = "msg_00000000000000000000000007";
    assert_eq!(
        told,
        [
            (
                "message.delivered",
                vec![id.to_owned(), one.to_string()],
                Some(other),
                json!({ "agentId": other, "messageId": id, "seq": 1, "kind": "message", "from": one }),
            ),
            ("message.acked", vec![], Some(other), json!({ "agentId": other, "seq": 1 })),
        ]
    );
    let all = serde_json::to_string(&team.events("")).unwrap();
    assert!(!all.contains("Secret"), "{all}");
}

#[test]
fn a_repeated_message_writes_nothing() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    let sent = NewMessage { id: Some(MessageId::from_bits(7)), ..message(one, other, "x") };
    team.deliver(&sent).unwrap();
    let before = (team.mailbox(other), team.mailbox(one), team.events("").len());
    team.days(1);
    assert!(!team.deliver(&sent).unwrap().new);
    assert_eq!((team.mailbox(other), team.mailbox(one), team.events("").len()), before);
}
