use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use rig_core::store::{
    Error, Options, Read as _, Record, Store, Table, Transact as _, Tx, journal,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    text: String,
}

impl Record for Note {}

const NOTES: Table<u64, Note> = Table::new("test/notes");

type Operation<T> = Box<dyn Fn(&Tx<'_>) -> Result<T, Error> + Send>;

fn note(text: &str) -> Note {
    Note { text: text.to_owned() }
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("rig.redb"), Options::default()).unwrap();
    (folder, store)
}

fn keys(store: &Store) -> Vec<u64> {
    let rows = store.read(|r| r.page(NOTES, .., 1000)).unwrap();
    rows.into_iter().map(|(key, _)| key).collect()
}

fn put(tx: &Tx<'_>, key: u64) -> Result<(), Error> {
    tx.put(NOTES, &key, &note("stored"))
}

fn refuse() -> Error {
    Error::Internal { why: "refused".into() }
}

/// Runs one operation that holds the writer until `others` are queued, then theirs: they meet in
/// one batch.
fn meet<T: Send + 'static>(store: &Arc<Store>, others: Vec<Operation<T>>) -> Vec<Result<T, Error>> {
    let (held, holding) = std::sync::mpsc::channel();
    let release = Arc::new(Barrier::new(2));
    let gate = Arc::clone(&release);
    let holder = Arc::clone(store);
    let first = thread::spawn(move || {
        holder.write(move |_| {
            held.send(()).unwrap();
            gate.wait();
            Ok::<_, Error>(())
        })
    });
    holding.recv().unwrap();
    let callers: Vec<_> = others
        .into_iter()
        .enumerate()
        .map(|(number, other)| {
            let store_of_caller = Arc::clone(store);
            let caller = thread::spawn(move || store_of_caller.write(other));
            while store.queued() <= number {
                thread::yield_now();
            }
            caller
        })
        .collect();
    release.wait();
    first.join().unwrap().unwrap();
    callers.into_iter().map(|caller| caller.join().unwrap()).collect()
}

#[test]
fn rollback_silent() {
    let (_folder, store) = store();
    let store = Arc::new(store);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let _listening = store.on_events(move || {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let mut subscription = store.subscribe();
    let answers = meet::<()>(
        &store,
        vec![
            Box::new(|tx| put(tx, 1)),
            Box::new(|tx| {
                put(tx, 2)?;
                tx.event("note.made", &[], None, &())?;
                Err(refuse())
            }),
            Box::new(|tx| put(tx, 3)),
        ],
    );
    assert_eq!(answers[1].as_ref().unwrap_err().to_string(), "internal error: refused");
    assert!(answers[0].is_ok() && answers[2].is_ok());
    assert_eq!(keys(&store), [1, 3]);
    let events = store.read(|r| journal::newest(r, None, 10)).unwrap().events;
    assert_eq!(events, []);
    assert!(!subscription.look_again());
    assert_eq!(calls.load(Ordering::SeqCst), 0);
}

#[test]
fn panic_in_batch() {
    let (_folder, store) = store();
    let store = Arc::new(store);
    let operations = (0..50_u64).map(|key| -> Operation<u64> {
        Box::new(move |tx| {
            put(tx, key)?;
            assert_ne!(key, 20, "a fault of the caller");
            Ok(key)
        })
    });
    let answers = meet(&store, operations.collect());
    let failed: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].code(), "internal");
    assert!(failed[0].to_string().contains("a fault of the caller"));
    assert_eq!(keys(&store), (0..50).filter(|key| *key != 20).collect::<Vec<_>>());
}

#[test]
fn after_three_drops_the_rest_commit_one_by_one() {
    let (_folder, store) = store();
    let store = Arc::new(store);
    let runs = Arc::new(AtomicUsize::new(0));
    let operations = (0..10_u64).map(|key| -> Operation<()> {
        let runs = Arc::clone(&runs);
        Box::new(move |tx| {
            runs.fetch_add(1, Ordering::Relaxed);
            put(tx, key)?;
            if key % 2 == 1 { Err(refuse()) } else { Ok(()) }
        })
    });
    let answers = meet(&store, operations.collect());
    let refused = answers.iter().enumerate().filter(|(_, answer)| answer.is_err());
    assert_eq!(refused.map(|(key, _)| key).collect::<Vec<_>>(), [1, 3, 5, 7, 9]);
    assert_eq!(keys(&store), [0, 2, 4, 6, 8]);
    // 0 1 | 0 2 3 | 0 2 4 5 | then 0 2 4 6 7 8 9 once each.
    assert_eq!(runs.load(Ordering::Relaxed), 2 + 3 + 4 + 7);
}

#[test]
fn an_operation_that_fails_before_it_writes_fails_alone() {
    let (_folder, store) = store();
    let store = Arc::new(store);
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let answers = meet::<()>(
        &store,
        vec![
            Box::new(move |tx| {
                counted.fetch_add(1, Ordering::Relaxed);
                put(tx, 1)
            }),
            Box::new(|tx| {
                tx.get(NOTES, &1)?;
                Err(refuse())
            }),
        ],
    );
    assert!(answers[0].is_ok() && answers[1].is_err());
    assert_eq!(runs.load(Ordering::Relaxed), 1);
    assert_eq!(keys(&store), [1]);
}

#[test]
fn dropping_the_store_finishes_the_queue() {
    let (folder, store) = store();
    store.write(|tx| put(tx, 7)).unwrap();
    drop(store);
    let again = Store::open(&folder.path().join("rig.redb"), Options::default()).unwrap();
    assert_eq!(keys(&again), [7]);
}
