use rig_core::store::{
    Error, Finding, Options, Read as _, Record, Store, Table, Transact as _, journal,
};
use rig_core::token::Token;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::disk::{Disk, Fate};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Thing {
    text: String,
}

impl Record for Thing {}

const THINGS: Table<(String, u64), Thing> = Table::new("test/things");
/// The same table, by somebody who writes other records.
const SPOILED: Table<(String, u64), u64> = Table::new("test/things");
const UNKNOWN: Table<u64, String> = Table::new("test/unknown");

fn key(number: u64) -> (String, u64) {
    ("thing".to_owned(), number)
}

fn thing(text: &str) -> Thing {
    Thing { text: text.to_owned() }
}

fn store() -> (Disk, Store) {
    let disk = Disk::holding(Vec::new(), Fate::Well);
    let store = Store::open_on(disk.clone(), Options::default()).unwrap();
    (disk, store)
}

#[test]
fn dump_tells_each_row_in_order() {
    let (_, store) = store();
    store
        .write(|tx| {
            (0..600).try_for_each(|number| tx.put(THINGS, &key(number), &thing("a thing")))?;
            tx.put(UNKNOWN, &258, &"whose?".to_owned())
        })
        .unwrap();
    let mut lines = Vec::new();
    store
        .dump(&[THINGS.known()], |line| {
            lines.push(serde_json::to_string(&line).unwrap());
            Ok::<_, Error>(())
        })
        .unwrap();
    assert!(lines[0].starts_with(r#"{"table":"meta","key":"clock","value":""#), "{}", lines[0]);
    assert_eq!(lines[1], r#"{"table":"meta","key":"schema","value":1}"#);
    assert_eq!(lines[3], r#"{"table":"test/things","key":["thing",0],"value":{"text":"a thing"}}"#);
    assert_eq!(lines.len(), 3 + 600 + 1);
    assert_eq!(lines[603], r#"{"table":"test/unknown","key":"0000000000000102","value":"whose?"}"#);
}

#[test]
fn check_names_what_is_wrong() {
    let (_, store) = store();
    store.write(|tx| tx.put(THINGS, &key(1), &thing("good"))).unwrap();
    assert_eq!(store.check(&[THINGS.known()], &[]).unwrap(), []);
    store.write(|tx| tx.put(SPOILED, &key(2), &7)).unwrap();
    let own = Finding { table: None, key: None, what: "two tables disagree".to_owned() };
    let findings = store.check(&[THINGS.known()], &[&|_| Ok(vec![own.clone()])]).unwrap();
    assert_eq!(findings.len(), 2);
    assert_eq!(findings[0].table.as_deref(), Some("test/things"));
    assert_eq!(findings[0].key.as_deref(), Some("7468696e6700010000000000000002"));
    assert!(findings[0].what.contains("a record of `test/things` cannot be read"));
    assert_eq!(findings[1], own);
}

#[test]
fn check_finds_a_damaged_page() {
    let (disk, store) = store();
    store.write(|tx| tx.put(THINGS, &key(1), &thing("a needle in the file"))).unwrap();
    drop(store);
    let mut image = disk.image();
    let needle = b"a needle in the file";
    let at = image.windows(needle.len()).position(|part| part == needle).unwrap();
    image[at] = b'A';
    let store = Store::open_on(Disk::holding(image, Fate::Well), Options::default()).unwrap();
    let findings = store.check(&[THINGS.known()], &[]).unwrap();
    assert_eq!(findings.len(), 1);
    assert_eq!((&findings[0].table, &findings[0].key), (&None, &None));
}

#[test]
fn compact_gives_room_back() {
    let (disk, store) = store();
    store
        .write(|tx| {
            (0..2000).try_for_each(|number| tx.put(THINGS, &key(number), &thing(&"x".repeat(4000))))
        })
        .unwrap();
    store
        .write(|tx| (1..2000).try_for_each(|number| tx.remove(THINGS, &key(number)).map(drop)))
        .unwrap();
    let compacted = store.compact().unwrap();
    assert!(compacted.before > 8_000_000, "{compacted:?}");
    assert!(compacted.after < 1_000_000, "{compacted:?}");
    store.write(|tx| tx.put(THINGS, &key(7), &thing("after"))).unwrap();
    drop(store);
    let store = Store::open_on(disk, Options::default()).unwrap();
    assert_eq!(store.read(|r| r.get(THINGS, &key(7))).unwrap(), Some(thing("after")));
    assert_eq!(store.check(&[THINGS.known()], &[]).unwrap(), []);
}

#[test]
fn a_record_that_cannot_be_read_is_put_aside() {
    let (_, store) = store();
    store
        .write(|tx| {
            tx.put(THINGS, &key(1), &thing("good"))?;
            tx.put(SPOILED, &key(2), &7)
        })
        .unwrap();
    assert!(!store.write(|tx| tx.quarantine(THINGS, &key(1))).unwrap());
    assert!(store.write(|tx| tx.quarantine(THINGS, &key(2))).unwrap());
    assert!(!store.write(|tx| tx.quarantine(THINGS, &key(2))).unwrap());
    let things = store.read(|r| r.page(THINGS, .., 10)).unwrap();
    assert_eq!(things, [(key(1), thing("good"))]);
    let events = store.read(|r| journal::newest(r, None, 10)).unwrap().events;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].kind, "store.quarantined");
    assert_eq!(events[0].data["table"], json!("test/things"));
    let mut aside = Vec::new();
    store
        .dump(&[], |line| {
            aside.extend((line.table == "core/quarantine").then_some(line.value));
            Ok::<_, Error>(())
        })
        .unwrap();
    // The version byte and the JSON, bytes as they were.
    assert_eq!(aside[0]["record"], json!("0137"));
    assert_eq!(store.check(&[THINGS.known()], &[]).unwrap(), []);
}

#[test]
fn tokens_and_their_digests_are_not_dumped() {
    const AGENTS: Table<u64, serde_json::Value> = Table::new("test/agents");
    const OF_OTHERS: Table<u64, u64> = Table::new("test/agents");
    let token = Token::generate();
    let (text, digest) = (token.reveal(), json!(token.digest()));
    let digits = digest.as_str().unwrap().to_owned();
    let (_, store) = store();
    let said = format!("it said {text}.");
    let agent = json!({
        "tokens": [digest, { "of": digest, "uses": 3 }],
        "token_digest": digest,
        "said": said,
        "commit": "a".repeat(64),
    });
    store.write(move |tx| tx.put(AGENTS, &1, &agent)).unwrap();
    // And in a record that could not be read.
    let unreadable = json!([digest, text]);
    store
        .write(move |tx| {
            tx.put(AGENTS, &2, &unreadable)?;
            tx.quarantine(OF_OTHERS, &2)
        })
        .unwrap();
    let mut lines = Vec::new();
    store
        .dump(&[AGENTS.known()], |line| {
            lines.push(serde_json::to_string(&line).unwrap());
            Ok::<_, Error>(())
        })
        .unwrap();
    let shown = lines.iter().find(|line| line.contains("test/agents\",\"key\":1")).unwrap();
    let value: serde_json::Value = serde_json::from_str(shown).unwrap();
    assert_eq!(
        value["value"],
        json!({
            "tokens": ["(token)", { "of": "(token)", "uses": 3 }],
            "token_digest": "(token)",
            "said": "it said (token).",
            "commit": "a".repeat(64),
        })
    );
    let hex = |text: &str| {
        text.bytes()
            .flat_map(|byte| {
                [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap())
            })
            .collect::<String>()
    };
    for secret in [&digits, &text, &hex(&digits), &hex(&text)] {
        assert!(!lines.iter().any(|line| line.contains(secret.as_str())), "{secret}");
    }
    let aside = lines.iter().find(|line| line.contains("core/quarantine")).unwrap();
    assert!(aside.contains(&hex(r#"["(token)","(token)"]"#)), "{aside}");
}

#[test]
fn compacting_is_worth_it_for_a_large_file_that_is_half_empty() {
    let (disk, store) = store();
    let fill = |store: &Store, from: u64, to: u64| {
        store
            .write(move |tx| {
                let large = thing(&"x".repeat(40_000));
                (from..to).try_for_each(|number| tx.put(THINGS, &key(number), &large))
            })
            .unwrap();
    };
    fill(&store, 0, 900);
    assert!(!store.worth_compacting().unwrap());
    store
        .write(|tx| (0..700).try_for_each(|number| tx.remove(THINGS, &key(number)).map(drop)))
        .unwrap();
    // It was looked at just now.
    assert!(!store.worth_compacting().unwrap());
    // What was removed is free after the next commits.
    (0..3).for_each(|number| fill(&store, number, number + 1));
    drop(store);
    let store = Store::open_on(disk, Options::default()).unwrap();
    assert!(store.worth_compacting().unwrap());
    assert!(!store.worth_compacting().unwrap());
    let compacted = store.compact().unwrap();
    assert!(compacted.before > 32 << 20 && compacted.after < 16 << 20, "{compacted:?}");
}
