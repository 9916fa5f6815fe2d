//! The disk fails or runs full at every change in turn: who was answered is right, the same request
//! again is safe, and service returns.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use rig_core::store::{
    Error, FreeSpace, Options, Read as _, Record, Store, Table, Transact as _, Tx,
};
use serde::{Deserialize, Serialize};

use crate::disk::{Disk, Fate};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Thing {
    text: String,
}

impl Record for Thing {}

const THINGS: Table<u64, Thing> = Table::new("test/things");

const MANY: u64 = 4;

fn options() -> Options {
    Options { cache: 1 << 20, ..Options::default() }
}

/// Makes a thing under an ID of the caller's; again, it answers with what is there.
fn make(store: &Store, id: u64) -> Result<bool, Error> {
    store.write(move |tx| {
        let new = tx.get(THINGS, &id)?.is_none();
        if new {
            tx.ensure_room()?;
            tx.put(THINGS, &id, &Thing { text: "x".repeat(2000) })?;
            tx.event("thing.made", &[], None, &id)?;
        }
        Ok(new)
    })
}

fn ids(store: &Store) -> Vec<u64> {
    let rows = store.read(|r| r.page(THINGS, .., 100)).unwrap();
    rows.into_iter().map(|(id, _)| id).collect()
}

/// The ways to commit: in one phase, and in two with what makes the next opening fast.
const WAYS: [u64; 2] = [u64::MAX, 0];

fn way(quick_repair_from: u64) -> Options {
    Options { quick_repair_from, ..options() }
}

fn new_disk() -> Disk {
    let disk = Disk::holding(Vec::new(), Fate::Well);
    drop(Store::open_on(disk.clone(), options()).unwrap());
    Disk::holding(disk.image(), Fate::Well)
}

/// How many changes of the disk it takes to open, to make all things and to close.
fn changes(quick_repair_from: u64) -> usize {
    let disk = new_disk();
    let store = Store::open_on(disk.clone(), way(quick_repair_from)).unwrap();
    (0..MANY).for_each(|id| assert!(make(&store, id).unwrap()));
    drop(store);
    disk.changes()
}

/// Every change of both ways, by its number.
fn every_change() -> impl Iterator<Item = (u64, usize)> {
    WAYS.into_iter().flat_map(|way| (1..=changes(way)).map(move |n| (way, n)))
}

#[test]
fn a_disk_that_fails_once_is_opened_again_and_the_same_request_succeeds() {
    for (way_of, n) in every_change() {
        let disk = new_disk();
        disk.set_fate(Fate::FailAt(n));
        let store = Store::open_on(disk.clone(), way(way_of)).unwrap();
        for id in 0..MANY {
            if let Err(error) = make(&store, id) {
                assert_eq!(error.code(), "store_failed", "change {n}");
                make(&store, id).unwrap();
            }
        }
        assert_eq!(ids(&store), [0, 1, 2, 3], "change {n}");
        drop(store);
        let again = Store::open_on(disk, options()).unwrap();
        assert_eq!(ids(&again), [0, 1, 2, 3], "change {n}");
        assert_eq!(again.check(&[THINGS.known()], &[]).unwrap(), [], "change {n}");
    }
}

#[test]
fn a_disk_that_runs_full_refuses_writes_until_there_is_room() {
    for (way_of, n) in every_change() {
        let disk = new_disk();
        disk.set_fate(Fate::FullFrom(n));
        let store = Store::open_on(disk.clone(), way(way_of)).unwrap();
        let mut made = Vec::new();
        for id in 0..MANY {
            match make(&store, id) {
                Ok(_) => made.push(id),
                Err(error) => assert_eq!(error.code(), "disk_full", "change {n}"),
            }
        }
        assert_eq!(ids(&store), made, "change {n}");
        disk.set_fate(Fate::Well);
        for id in 0..MANY {
            assert_eq!(make(&store, id).unwrap(), !made.contains(&id), "change {n}");
        }
        drop(store);
        let again = Store::open_on(disk, options()).unwrap();
        assert_eq!(ids(&again), [0, 1, 2, 3], "change {n}");
        assert_eq!(again.check(&[THINGS.known()], &[]).unwrap(), [], "change {n}");
    }
}

#[test]
fn an_operation_that_writes_nothing_costs_no_change() {
    let disk = new_disk();
    let store = Store::open_on(disk.clone(), options()).unwrap();
    store.write(|tx| tx.get(THINGS, &1)).unwrap();
    assert!(!store.write(|tx| tx.remove(THINGS, &1)).unwrap());
    assert!(ids(&store).is_empty());
    drop(store);
    assert_eq!(disk.changes(), 0);
}

#[test]
fn a_commit_of_a_store_that_stays_open_is_one_sync() {
    let disk = new_disk();
    let store = Store::open_on(disk.clone(), options()).unwrap();
    make(&store, 0).unwrap();
    let before = disk.syncs();
    make(&store, 1).unwrap();
    make(&store, 2).unwrap();
    assert_eq!(disk.syncs() - before, 2);
}

#[test]
fn a_store_opened_for_one_transaction_syncs_twice_in_all() {
    let disk = new_disk();
    let brief = || Options { quick_repair_from: 0, ..options() };
    let mut syncs = Vec::new();
    for id in 0..6 {
        let before = disk.syncs();
        let store = Store::open_on(disk.clone(), brief()).unwrap();
        make(&store, id).unwrap();
        store.close().unwrap();
        syncs.push(disk.syncs() - before);
    }
    // The second made the file grow: twice more, each time that it doubles.
    assert_eq!(syncs, [2, 4, 2, 2, 2, 2]);
}

#[test]
fn a_closed_store_refuses_what_comes_after() {
    let store = Store::open_on(redb::backends::InMemoryBackend::new(), options()).unwrap();
    assert!(make(&store, 1).unwrap());
    store.close().unwrap();
    store.close().unwrap();
    assert!(matches!(make(&store, 2), Err(Error::Closed)));
    let refused = store.read(|r| r.get(THINGS, &1));
    assert!(matches!(refused, Err(Error::Closed)), "{refused:?}");
}

#[test]
fn a_store_that_cannot_be_opened_again_fails_for_good_and_says_so() {
    let disk = new_disk();
    let store = Store::open_on(disk.clone(), options()).unwrap();
    make(&store, 0).unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let _listening = store.on_events(move || {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    assert!(store.failed().is_none());
    disk.set_fate(Fate::Gone);
    let unknown = make(&store, 1).unwrap_err();
    assert_eq!(unknown.code(), "store_failed");
    assert!(
        unknown.to_string().contains("unknown, and the same request with the same ID is safe"),
        "{unknown}"
    );
    let failed = store.failed().unwrap().to_string();
    assert!(failed.contains("the disk is gone"), "{failed}");
    assert_eq!(calls.load(Ordering::SeqCst), 1);

    // Not even a disk that works again is tried.
    disk.set_fate(Fate::Well);
    assert_eq!(make(&store, 1).unwrap_err().to_string(), failed);
    assert_eq!(store.read(|r| r.get(THINGS, &0)).unwrap_err().to_string(), failed);
    drop(store);
    let again = Store::open_on(disk, options()).unwrap();
    assert_eq!(ids(&again)[0], 0);
}

#[test]
fn a_storage_error_within_an_operation_fails_the_batch_whatever_the_operation_makes_of_it() {
    let disk = new_disk();
    let store = Store::open_on(disk.clone(), Options { cache: 0, ..options() }).unwrap();
    make(&store, 0).unwrap();
    let broken = disk.clone();
    let failed: Error = store
        .write(move |tx| {
            broken.set_fate(Fate::FailReads);
            let read = tx.get(THINGS, &0);
            broken.set_fate(Fate::Well);
            assert!(read.is_err());
            Ok(())
        })
        .unwrap_err();
    assert_eq!(failed.code(), "store_failed");
    assert_eq!(ids(&store), [0]);
    make(&store, 1).unwrap();
}

#[test]
fn a_failed_file_is_opened_again_once_its_readers_are_done() {
    let disk = new_disk();
    let store = Arc::new(Store::open_on(disk.clone(), options()).unwrap());
    make(&store, 0).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let (told, answer) = channel();
    let (seen, writer) = (Arc::clone(&done), Arc::clone(&store));
    let rows = store.read(|r| {
        disk.set_fate(Fate::FailAt(disk.changes() + 1));
        let failed_at = disk.changes() + 1;
        let operation = |tx: &Tx<'_>| tx.put(THINGS, &1, &Thing { text: "x".repeat(2000) });
        writer.write_then(operation, move |answer: Result<(), Error>| {
            told.send((answer.unwrap_err().code(), seen.load(Ordering::SeqCst))).unwrap();
        });
        while disk.changes() < failed_at {
            thread::yield_now();
        }
        (0..1000).for_each(|_| thread::yield_now());
        let rows = r.page(THINGS, .., 10);
        done.store(true, Ordering::SeqCst);
        rows
    });
    assert_eq!(rows.unwrap().len(), 1);
    assert_eq!(answer.recv().unwrap(), ("store_failed", true));
    make(&store, 1).unwrap();
}

#[test]
fn a_disk_that_is_full_at_any_change_refuses_new_things_ends_old_ones_and_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let ballast = folder.path().join("rig.ballast");
    for (way_of, n) in every_change() {
        let free = Arc::new(AtomicU64::new(16 << 20));
        let tells = Arc::clone(&free);
        let options = Options {
            ballast: Some(ballast.clone()),
            free_space: FreeSpace::new(move |_| Ok(tells.load(Ordering::SeqCst))),
            ..way(way_of)
        };
        let disk = new_disk();
        // Its content does not matter here, and writing it takes long.
        File::create(&ballast).unwrap().set_len(8 << 20).unwrap();
        free.store(0, Ordering::SeqCst);
        disk.set_fate(Fate::FullBeside { file: ballast.clone(), from: n });
        let store = Store::open_on(disk.clone(), options).unwrap();
        let mut made = Vec::new();
        for id in 0..MANY {
            match make(&store, id) {
                Ok(_) => made.push(id),
                Err(error) => {
                    assert_eq!(error.code(), "disk_full", "change {n}");
                    assert!(store.low_space() && !ballast.exists(), "change {n}");
                }
            }
        }
        for &id in &made {
            assert!(store.write(move |tx| tx.remove(THINGS, &id)).unwrap_or_else(|error| {
                // The last changes are those of the end.
                assert_eq!(error.code(), "disk_full", "change {n}");
                store.write(move |tx| tx.remove(THINGS, &id)).unwrap()
            }));
        }
        File::create(&ballast).unwrap().set_len(8 << 20).unwrap();
        disk.set_fate(Fate::Well);
        free.store(16 << 20, Ordering::SeqCst);
        store.look_at_space().unwrap();
        assert!(!store.low_space(), "change {n}");
        (0..MANY).for_each(|id| assert!(make(&store, id).unwrap(), "change {n}"));
        assert_eq!(store.check(&[THINGS.known()], &[]).unwrap(), [], "change {n}");
    }
}
