//! Records of agents and mail as the first release wrote them: they are put where that release had
//! them, and must be read as what they are and be written alike.

use rig_core::agent::{self, Agent, AgentKind, Identity};
use rig_core::caller::Caller;
use rig_core::id::AgentId;
use rig_core::mail::{self, Delivered, Kind, Mailbox, NewMessage, Origin, Reception, Sender};
use rig_core::path::RawPath;
use rig_core::store::{Key, Read as _, Table, Transact as _};
use rig_core::token::Token;
use serde_json::{Value, json};

use crate::team::{Team, body};

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

/// A sample without the field that no release has written yet.
fn today(sample: &str) -> Value {
    let mut value = parsed(sample);
    value.as_object_mut().unwrap().remove("a_field_of_a_later_release");
    value
}

fn put<K: Key + Clone + Send + 'static>(team: &Team, table: &'static str, key: K, row: Value) {
    let table: Table<K, Value> = Table::new(table);
    team.store
        .write(move |tx| tx.put(table, &key, &row))
        .unwrap_or_else(|error: rig_core::store::Error| panic!("{error}"));
}

fn stored<K: Key>(team: &Team, table: &'static str, key: &K) -> Value {
    let table: Table<K, Value> = Table::new(table);
    team.store.read(|r| r.get(table, key)).unwrap().expect("the row is there")
}

fn id(text: &str) -> AgentId {
    text.parse().unwrap()
}

const AGENT: &str = "agt_5xq2m0c4v8b1n7k3j6h9g2f4d0";

#[test]
fn an_agent_of_the_first_release_is_read_and_written_alike() {
    let sample = include_str!("samples/agent.json");
    let team = Team::new();
    put(&team, "core/agents", id(AGENT), parsed(sample));
    let agent = team.agent(id(AGENT));
    let expected = Agent {
        id: id(AGENT),
        session: "ses_06fbj2k7zw7v3r5c1hq8m9tnp3".parse().unwrap(),
        kind: AgentKind::Managed,
        title: Some(agent::title("Audit retry semantics").unwrap()),
        titled: true,
        parent: Some(id("agt_01m8nsvd62f67tndkxwnbwbx30")),
        root: id("agt_01m8nsvd62f67tndkxwnbwbx31"),
        depth: 2,
        delegated_by: Some(id("agt_01m8nsvd62f67tndkxwnbwbx32")),
        disk: "4c4c4544:2049:2".to_owned(),
        home: "ws_06fbj2k7zw7v3r5c1hq8m9tnp4".parse().unwrap(),
        cwd: Some(RawPath::from_base64("L2hvbWUvdGVzdGVyL2b/bw==").unwrap()),
        workspace: Some("ws_06fbj2k7zw7v3r5c1hq8m9tnp1".parse().unwrap()),
        project: Some("prj_06fbj2k7zw7v3r5c1hq8m9tnp0".parse().unwrap()),
        registered_by: Caller::Agent(id("agt_01m8nsvd62f67tndkxwnbwbx30")),
        first_title: Some(agent::title("Audit").unwrap()),
        created_at: "2026-08-01T18:30:00.000Z".parse().unwrap(),
        updated_at: "2026-08-01T18:31:00.000Z".parse().unwrap(),
        archived_at: Some("2026-08-02T18:30:00.125Z".parse().unwrap()),
    };
    assert_eq!(agent, expected);
    assert_eq!(serde_json::to_value(&agent).unwrap(), today(sample));
}

#[test]
fn an_agent_with_the_least_of_fields_is_read_and_written_alike() {
    let sample = include_str!("samples/agent-least.json");
    let team = Team::new();
    put(&team, "core/agents", id(AGENT), parsed(sample));
    let agent = team.agent(id(AGENT));
    assert_eq!((agent.kind, agent.registered_by), (AgentKind::External, Caller::Person));
    assert!(agent.is_primary() && !agent.is_archived());
    assert_eq!(serde_json::to_value(&agent).unwrap(), today(sample));
}

#[test]
fn messages_and_the_mailbox_of_the_first_release_are_read_and_written_alike() {
    let team = Team::new();
    let agent = id(AGENT);
    put(&team, "core/agents", agent, parsed(include_str!("samples/agent-least.json")));
    let (least, whole) =
        (include_str!("samples/message-least.json"), include_str!("samples/message.json"));
    put(&team, "core/mail", (agent, 1_u64), parsed(least));
    put(&team, "core/mail", (agent, 3_u64), parsed(whole));
    let mailbox = json!({
        "next": 4, "handed": 1, "acked": 0, "pruned": 0, "bytes": 22, "ackedBytes": 0,
        "activeAt": "2026-08-01T18:30:00.000Z",
    });
    put(&team, "core/mailboxes", agent, mailbox.clone());
    let read = team.mailbox(agent);
    assert_eq!(serde_json::to_value(read).unwrap(), mailbox);
    let Mailbox { next, handed, acked, .. } = read;
    assert_eq!((next, handed, acked, read.unacked_bytes()), (4, 1, 0, 22));

    let fetched = team.fetch(agent, 100).unwrap();
    let (first, third) = (&fetched.messages[0], &fetched.messages[1]);
    assert_eq!((first.seq, first.kind, &first.from), (1, Kind::Message, &Origin::Person));
    assert_eq!((first.body.as_str(), third.body.as_str()), ("Stop.", "The retries are right."));
    assert_eq!((third.kind, third.from.sender()), (Kind::Completion, Sender::Agent(agent)));
    assert_eq!(third.data, Some(json!({ "status": "completed" })));
    for (message, sample) in [(first, least), (third, whole)] {
        assert_eq!(serde_json::to_value(message).unwrap(), parsed(sample)["message"]);
    }
    assert_eq!(team.ack(agent, 3).unwrap().acked, 3);
    assert_eq!(stored(&team, "core/mail_acks", &(agent, 3_u64)), json!({ "at": team.now().wall }));
}

#[test]
fn rows_that_a_message_is_found_by_are_written_as_in_the_first_release() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    let sent = NewMessage {
        id: Some(rig_core::id::MessageId::from_bits(7)),
        key: Some(rig_core::call_key::CallKey::new("turn 7", "toolu_1", 2).unwrap()),
        ..NewMessage::new(Sender::Agent(one), other, body("x"))
    };
    team.deliver(&sent).unwrap();
    let from = Sender::Agent(one);
    assert_eq!(stored(&team, "core/mail_senders", &(other, (from, 1_u64))), json!({ "nth": 1 }));
    let by_id = (other, (from, rig_core::id::MessageId::from_bits(7)));
    assert_eq!(stored(&team, "core/mail_ids", &by_id), json!({ "seq": 1 }));
    let by_key = (other, (from, ("turn 7".to_owned(), "toolu_1".to_owned())));
    assert_eq!(stored(&team, "core/mail_keys", &by_key), json!({ "seq": 1 }));
    team.shake_hands(one, other);
    let handshake = stored(&team, "core/handshakes", &(one, other));
    assert_eq!(handshake, json!({ "at": team.now().wall }));
}

#[test]
fn what_is_remembered_of_a_message_in_the_first_release_still_counts() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    let id = rig_core::id::MessageId::from_bits(7);
    let remembered = json!({
        "id": id,
        "at": "2026-08-01T00:00:00.000Z",
        "from": one,
        "key": { "batch": "", "call": "report", "index": 0 },
        "reception": "listening",
        "content": "90b83b63e1028cadf67896037fc239e1f05e72c64e121a918de1f9c369a56286",
    });
    put(&team, "core/mail_remembered", (other, 5_u64), remembered);
    put(&team, "core/mail_ids", (other, (Sender::Agent(one), id)), json!({ "seq": 5 }));
    let again =
        NewMessage { id: Some(id), ..NewMessage::new(Sender::Agent(one), other, body("done")) };
    let reception = Reception::Listening;
    let expected = Delivered { agent: other, seq: 5, new: false, id, reception };
    assert_eq!(team.deliver(&again).unwrap(), expected);
    assert_eq!(team.store.read(|r| mail::mailbox(r, other)).unwrap().newest(), 0);
}

#[test]
fn tokens_of_the_first_release_still_count() {
    let team = Team::new();
    let one = team.primary("One");
    let token: Token = "tok_1zyxwvtsrqpnmkjhgfedcba9876543210zyxwvtsrqpnmkjhgfed".parse().unwrap();
    let digest = "2a5579cbfb3024166cd134f2e87f3592b2f57b350f4bef6e415d363d9b65c58e";
    let row = json!({ "firstToken": "0".repeat(64), "tokens": ["f".repeat(64), digest] });
    put(&team, "core/tokens", one, row.clone());
    let identity = Identity { agent: one, token };
    assert_eq!(team.store.read(|r| identity.check(r)).unwrap(), Caller::Agent(one));
    team.store.write(move |tx| agent::drop_token(tx, one, Token::generate().digest())).unwrap();
    assert_eq!(stored(&team, "core/tokens", &one), row);
}
