//! What a mailbox keeps, forgets, and does about what it cannot read.

use rig_core::call_key::CallKey;
use rig_core::id::{AgentId, MessageId};
use rig_core::mail::{self, Delivered, NewMessage};
use rig_core::store::{Table, Transact as _};
use serde_json::{Value, json};

use crate::team::{Team, body, message, texts};

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
