use rig_core::call_key::{CallIdentity, CallKey};
use rig_core::caller::Caller;
use rig_core::id::AgentId;
use rig_core::store::{Key, Options, Read as _, Store, Table, Transact as _};

fn code(batch: &str, call: &str) -> &'static str {
    CallKey::new(batch, call, 0).map_or_else(|error| error.code(), |_| "accepted")
}

#[test]
fn strings_are_kept_byte_for_byte() {
    let key = CallKey::new(" Turn 7 ", "tool/é\u{2028}", 3).unwrap();
    assert_eq!((key.batch(), key.call(), key.index()), (" Turn 7 ", "tool/é\u{2028}", 3));
    assert_eq!(CallKey::alone("nightly").unwrap().batch(), "");
}

#[test]
fn strings_that_name_no_call() {
    assert_eq!(code("batch", ""), "bad_request");
    assert_eq!(code("", "a\nb"), "bad_request");
    assert_eq!(code("a\u{9f}", "b"), "bad_request");
    assert_eq!(code("", &"x".repeat(200)), "accepted");
    assert_eq!(code("", &"x".repeat(201)), "too_long");
    assert_eq!(code(&"é".repeat(101), "b"), "too_long");
    let error = CallKey::new("", "x".repeat(201), 0).unwrap_err();
    assert_eq!(error.to_string(), "`key.call` has 201 bytes, and at most 200 are allowed");
}

#[test]
fn a_key_in_a_request_is_a_text_or_an_object() {
    let read = |json: &str| serde_json::from_str::<CallKey>(json);
    assert_eq!(read("\"nightly\"").unwrap(), CallKey::alone("nightly").unwrap());
    let whole = read(r#"{"batch":"turn 7","call":"toolu_1","index":2}"#).unwrap();
    assert_eq!(whole, CallKey::new("turn 7", "toolu_1", 2).unwrap());
    assert_eq!(read(r#"{"call":"c","batch":null}"#).unwrap(), CallKey::alone("c").unwrap());
    for refused in ["7", "{}", r#"{"call":"c","calls":"d"}"#, r#""""#, r#"{"call":7}"#] {
        assert!(read(refused).is_err(), "{refused}");
    }
}

#[test]
fn identities_are_told_apart_and_a_batch_lies_together() {
    const MADE: Table<CallIdentity, ()> = Table::new("test/made");
    let (one, other) = (Caller::Agent(AgentId::generate()), Caller::Agent(AgentId::generate()));
    let key = |batch: &str, call: &str| CallKey::new(batch, call, 0).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("rig.redb"), Options::default()).unwrap();
    let identities = [
        key("turn", "a").identity(one, "wait"),
        key("turn", "b").identity(one, "wait"),
        key("turn 2", "a").identity(one, "wait"),
        key("turn", "a").identity(one, "message"),
        key("turn", "a").identity(other, "wait"),
        key("turn", "a").identity(Caller::Person, "wait"),
        key("", "turna").identity(one, "wait"),
    ];
    let rows = identities.clone();
    store.write(move |tx| rows.iter().try_for_each(|row| tx.put(MADE, row, &()))).unwrap();
    let batch = CallIdentity::of_batch(one, "wait", "turn");
    let found = store.read(|r| r.beginning_with(MADE, &batch)).unwrap();
    let found: Vec<_> = found.into_iter().map(|(identity, ())| identity).collect();
    assert_eq!(found, identities[..2]);
    for identity in &identities {
        let bytes = identity.encoded();
        let mut rest = bytes.as_slice();
        assert_eq!(CallIdentity::decode(&mut rest).as_ref(), Some(identity));
        assert_eq!(rest, b"");
    }
}
