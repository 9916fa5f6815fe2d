//! Those who cannot block are told on the store's own thread, and what a closed store says.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::thread;

use rig_core::store::{Error, Options, Read as _, Store, Table, Transact as _};

use crate::disk::{Disk, Fate};

const NUMBERS: Table<u64, u64> = Table::new("test/numbers");

fn store() -> (Disk, Arc<Store>) {
    let disk = Disk::holding(Vec::new(), Fate::Well);
    let options = Options { cache: 1 << 20, ..Options::default() };
    (disk.clone(), Arc::new(Store::open_on(disk, options).unwrap()))
}

#[test]
fn an_operation_nobody_waits_for_is_answered_after_its_commit() {
    let (_, store) = store();
    let (told, answers) = channel();
    for number in 0..3_u64 {
        let told = told.clone();
        let done = move |answer: Result<u64, Error>| told.send(answer.unwrap()).unwrap();
        store.write_then(move |tx| tx.put(NUMBERS, &number, &number).map(|()| number), done);
    }
    assert_eq!(answers.iter().take(3).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(store.read(|r| r.page(NUMBERS, .., 10)).unwrap().len(), 3);
}

#[test]
fn who_is_told_may_read_and_may_panic_but_not_write() {
    let (_, store) = store();
    let (told, answers) = channel();
    let reading = Arc::clone(&store);
    store.write_then(
        |tx| tx.put(NUMBERS, &1, &1),
        move |_: Result<(), Error>| {
            let found = reading.read(|r| r.get(NUMBERS, &1)).unwrap();
            let wrote = reading.write(|tx| tx.put(NUMBERS, &2, &2)).unwrap_err();
            told.send((found, wrote.code())).unwrap();
            panic!("a fault of who was told");
        },
    );
    assert_eq!(answers.recv().unwrap(), (Some(1), "internal"));
    store.write(|tx| tx.put(NUMBERS, &3, &3)).unwrap();
}

#[test]
fn a_listener_is_called_for_each_commit_with_events_and_for_the_close() {
    let (_, store) = store();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let listening = store.on_events(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        panic!("a fault of the listener");
    });
    let dropped = Arc::clone(&calls);
    drop(store.on_events(move || dropped.store(100, Ordering::SeqCst)));
    store.write(|tx| tx.event("test.told", &[], None, &1)).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    store.write(|tx| tx.put(NUMBERS, &1, &1)).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    store.close().unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    drop(listening);
}

#[test]
fn closing_finishes_the_queue_and_refuses_what_comes_after() {
    let (disk, store) = store();
    let gate = Arc::new(Barrier::new(2));
    let held = Arc::clone(&gate);
    store.write_then(
        move |_| {
            held.wait();
            Ok(())
        },
        |_: Result<(), Error>| (),
    );
    let (told, answers) = channel();
    store.write_then(|tx| tx.put(NUMBERS, &1, &1), move |answer| told.send(answer).unwrap());
    let closing = Arc::clone(&store);
    let closer = thread::spawn(move || closing.close());
    gate.wait();
    closer.join().unwrap().unwrap();
    answers.recv().unwrap().unwrap();

    let late: Error = store.write(|tx| tx.put(NUMBERS, &2, &2)).unwrap_err();
    assert!(matches!(late, Error::Closed), "{late}");
    assert_eq!(late.to_string(), "the store is closed, and nothing was changed");
    assert!(matches!(store.read(|r| r.get(NUMBERS, &1)), Err(Error::Closed)));
    assert!(store.failed().is_none());
    store.close().unwrap();

    let again = Store::open_on(disk, Options::default()).unwrap();
    let rows = again.read(|r| r.page(NUMBERS, .., 10)).unwrap();
    assert_eq!(rows, [(1, 1)]);
}
