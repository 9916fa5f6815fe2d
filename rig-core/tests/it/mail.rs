use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::MessageId;
use rig_core::mail::{self, Body, Delivered, Kind, MAX_FROM_SENDER, NewMessage, Reception, Sender};
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

fn spoil(team: &Team, agent: AgentId, seq: u64) {
    let table: Table<(AgentId, u64), Value> = Table::new("core/mail");
    team.store
        .write(move |tx| tx.put(table, &(agent, seq), &json!({ "nonsense": seq })))
        .unwrap_or_else(|error: rig_core::store::Error| panic!("{error}"));
}

#[test]
fn bad_row() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    team.deliver_numbered(one, other, 5);
    spoil(&team, other, 3);
    let fetched = team.fetch(other, 100).unwrap();
    assert_eq!(texts(&fetched), [(1, "1"), (2, "2"), (4, "4"), (5, "5")]);
    assert_eq!(team.fetch(other, 100).unwrap(), fetched);
    assert_eq!(team.events("store.quarantined").len(), 1);
    assert_eq!(team.ack(other, 5).unwrap().unacked(), 0);
    assert_eq!(team.store.read(mail::agree).unwrap(), []);
    assert!(team.deliver(&message(one, other, "6")).unwrap().new);
    assert_eq!(texts(&team.fetch(other, 100).unwrap()), [(6, "6")]);
}

#[test]
fn bad_rows_at_either_end_hold_nobody_up() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    team.deliver_numbered(one, other, 5);
    for seq in [1, 2, 5] {
        spoil(&team, other, seq);
    }
    let fetched = team.fetch(other, 100).unwrap();
    assert_eq!(texts(&fetched), [(3, "3"), (4, "4")]);
    assert_eq!((fetched.acked, fetched.last, fetched.more), (2, 4, false));
    assert_eq!(team.ack(other, 4).unwrap().unacked(), 0);
    assert!(!team.mailbox(other).has_after(0));
    team.deliver_numbered(one, other, 2);
    for seq in [6, 7] {
        spoil(&team, other, seq);
    }
    assert!(team.mailbox(other).has_after(4));
    let fetched = team.fetch(other, 100).unwrap();
    assert_eq!((texts(&fetched), fetched.acked, fetched.last), (vec![], 7, 7));
    assert!(!team.mailbox(other).has_after(4));
    assert_eq!(team.mailbox(other).unacked_bytes(), 0);
    assert_eq!(team.store.read(mail::agree).unwrap(), []);
    assert_eq!(team.events("store.quarantined").len(), 5);
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

/// How many messages, and remembered IDs of others, a mailbox has.
fn kept(team: &Team) -> (usize, usize) {
    let (mut mail, mut remembered) = (0, 0);
    team.store
        .dump(mail::TABLES, |line| {
            mail += usize::from(line.table == "core/mail");
            remembered += usize::from(line.table == "core/mail_remembered");
            Ok::<_, rig_core::store::Error>(())
        })
        .unwrap();
    (mail, remembered)
}

#[test]
fn acknowledged_messages_are_kept_7_days() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    let id = Some(MessageId::from_bits(7));
    team.deliver(&NewMessage { id, ..message(one, other, "first") }).unwrap();
    team.days(10);
    team.deliver_numbered(one, other, 2);
    team.fetch(other, 100).unwrap();
    team.ack(other, 1).unwrap();
    team.days(7);
    team.ack(other, 2).unwrap();
    assert_eq!(kept(&team), (3, 0));
    team.clock.advance(std::time::Duration::from_millis(1));
    let again = NewMessage { id, ..message(one, other, "first") };
    assert!(!team.deliver(&again).unwrap().new);
    team.ack(other, 3).unwrap();
    assert_eq!(kept(&team), (2, 0));
    assert_eq!(team.store.read(mail::agree).unwrap(), []);
    // The ID is forgotten with the message, which is 17 days old.
    assert!(team.deliver(&again).unwrap().new);
}

#[test]
fn at_most_1000_acknowledged_messages_are_kept_and_their_ids_for_7_days() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    let id = Some(MessageId::from_bits(7));
    let named =
        NewMessage { id, key: Some(CallKey::alone("k").unwrap()), ..message(one, other, "first") };
    let first = team.deliver(&named).unwrap();
    team.deliver_many(&message(one, other, "x"), 1149);
    team.fetch(other, 1000).unwrap();
    team.ack(other, 1000).unwrap();
    assert_eq!(kept(&team), (1150, 0));
    team.fetch(other, 1000).unwrap();
    team.ack(other, 1149).unwrap();
    assert_eq!(kept(&team), (1050, 100));
    team.ack(other, 1150).unwrap();
    assert_eq!(kept(&team), (1000, 150));
    assert_eq!(team.store.read(mail::agree).unwrap(), []);
    assert_eq!(team.deliver(&named).unwrap(), Delivered { new: false, ..first });
    let by_key = NewMessage { id: None, ..named.clone() };
    assert_eq!(team.deliver(&by_key).unwrap(), Delivered { new: false, ..first });
    let other_content = NewMessage { body: body("other"), ..named.clone() };
    assert_eq!(team.deliver(&other_content).unwrap_err().code(), "id_conflict");

    team.days(7);
    team.clock.advance(std::time::Duration::from_millis(1));
    let one_more = |seq| {
        team.deliver(&message(one, other, "x")).unwrap();
        team.fetch(other, 1).unwrap();
        team.ack(other, seq).unwrap();
    };
    one_more(1151);
    assert_eq!(kept(&team), (901, 150));
    assert!(!team.deliver(&named).unwrap().new);
    (1152..1170).for_each(one_more);
    assert_eq!(kept(&team), (19, 0));
    assert!(team.deliver(&named).unwrap().new);
    assert_eq!(team.store.read(mail::agree).unwrap(), []);
}

#[test]
fn messages_that_are_not_acknowledged_are_never_pruned() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    team.deliver_numbered(one, other, 3);
    team.days(400);
    team.fetch(other, 100).unwrap();
    team.ack(other, 1).unwrap();
    team.days(400);
    assert_eq!(texts(&team.fetch(other, 100).unwrap()), [(2, "2"), (3, "3")]);
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

#[test]
fn rows_of_mail_agree_or_it_is_told() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    team.deliver_numbered(one, other, 3);
    assert_eq!(team.store.read(mail::agree).unwrap(), []);
    let table: Table<(AgentId, u64), Value> = Table::new("core/mail");
    team.store
        .write(move |tx| tx.remove(table, &(other, 2)))
        .unwrap_or_else(|error: rig_core::store::Error| panic!("{error}"));
    let tables: Vec<_> = team
        .store
        .read(mail::agree)
        .unwrap()
        .into_iter()
        .map(|finding| (finding.table.unwrap(), finding.what))
        .collect();
    let what = || "no record has this row of the index".to_owned();
    assert_eq!(
        tables,
        [("core/mail_senders".to_owned(), what()), ("core/mail_ids".to_owned(), what())]
    );
}
