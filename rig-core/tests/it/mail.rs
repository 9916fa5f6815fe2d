use rig_core::caller::Caller;
use rig_core::id::MessageId;
use rig_core::mail::{Body, MAX_FROM_SENDER, NewMessage, Sender};
use rig_core::store::Transact as _;

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
    (1..=5).for_each(|n| drop(team.deliver(&message(one, other, &n.to_string())).unwrap()));
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
    (1..=5).for_each(|n| drop(team.deliver(&message(one, other, &n.to_string())).unwrap()));
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
    (0..3).for_each(|_| drop(team.deliver(&message(one, target, &large)).unwrap()));
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
    let _ = team.store.now();
}
