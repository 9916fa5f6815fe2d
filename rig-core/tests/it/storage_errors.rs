//! The disk fails or runs full at every change in turn: who was answered is right, the same request
//! again is safe, and service returns.

use rig_core::store::{Error, Options, Read as _, Record, Store, Table, Transact as _};
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

fn new_disk() -> Disk {
    let disk = Disk::holding(Vec::new(), Fate::Well);
    drop(Store::open_on(disk.clone(), options()).unwrap());
    Disk::holding(disk.image(), Fate::Well)
}

/// How many changes of the disk it takes to open, to make all things and to close.
fn changes() -> usize {
    let disk = new_disk();
    let store = Store::open_on(disk.clone(), options()).unwrap();
    (0..MANY).for_each(|id| assert!(make(&store, id).unwrap()));
    drop(store);
    disk.changes()
}

#[test]
fn a_disk_that_fails_once_is_opened_again_and_the_same_request_succeeds() {
    for n in 1..=changes() {
        let disk = new_disk();
        disk.set_fate(Fate::FailAt(n));
        let store = Store::open_on(disk.clone(), options()).unwrap();
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
    for n in 1..=changes() {
        let disk = new_disk();
        disk.set_fate(Fate::FullFrom(n));
        let store = Store::open_on(disk.clone(), options()).unwrap();
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
