use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};
use std::thread;

use rig_core::store::{
    Error, Migration, Options, Read as _, Record, Store, Table, Transact as _, Tx,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Thing {
    text: String,
}

impl Record for Thing {}

const THINGS: Table<u64, Thing> = Table::new("test/things");

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("state/rig/rig.redb")
    }

    fn open(&self) -> Result<Store, Error> {
        Store::open(&self.file(), Options::default())
    }

    /// The names of what lies in the store's folder.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.file().parent().unwrap()).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn put(store: &Store, id: u64, text: &'static str) {
    let put = move |tx: &Tx<'_>| tx.put(THINGS, &id, &Thing { text: text.to_owned() });
    store.write(put).unwrap();
}

fn get(store: &Store, id: u64) -> Option<String> {
    store.read(|r| r.get(THINGS, &id)).unwrap().map(|thing| thing.text)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_new_store_is_for_its_owner_alone() {
    let place = Place::new();
    let store = place.open().unwrap();
    assert_eq!(mode(&place.file()), 0o600);
    assert_eq!(mode(place.file().parent().unwrap()), 0o700);
    assert_eq!(place.names(), ["rig.redb"]);
    put(&store, 1, "one");
    drop(store);
    assert_eq!(get(&place.open().unwrap(), 1).as_deref(), Some("one"));
}

#[test]
fn many_that_make_the_same_store_at_once_make_one() {
    let place = Arc::new(Place::new());
    let start = Arc::new(Barrier::new(8));
    let threads: Vec<_> = (0..8_u64)
        .map(|id| {
            let (place, start) = (Arc::clone(&place), Arc::clone(&start));
            thread::spawn(move || {
                start.wait();
                loop {
                    match place.open() {
                        Ok(store) => return put(&store, id, "made"),
                        Err(Error::Busy { .. }) => thread::yield_now(),
                        Err(other) => panic!("{other}"),
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let store = place.open().unwrap();
    assert_eq!(store.read(|r| r.page(THINGS, .., 100)).unwrap().len(), 8);
    assert_eq!(place.names(), ["rig.redb"]);
}

#[test]
fn a_store_that_is_open_is_busy_at_once() {
    let place = Place::new();
    let store = place.open().unwrap();
    let busy = place.open().unwrap_err();
    assert_eq!(busy.code(), "store_busy");
    let file = place.file();
    assert_eq!(
        busy.to_string(),
        format!("the store {} is open in another process", file.display())
    );
    let reading = Store::open_read_only(&file, &Options::default()).unwrap_err();
    assert_eq!(reading.code(), "store_busy");
    drop(store);
    place.open().unwrap();
}

#[test]
fn a_file_that_is_no_store_is_left_as_it_is() {
    let whole = {
        let place = Place::new();
        put(&place.open().unwrap(), 1, "one");
        fs::read(place.file()).unwrap()
    };
    let other_program = {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("other.redb");
        let redb = redb::Database::create(&file).unwrap();
        let tx = redb.begin_write().unwrap();
        tx.open_table(redb::TableDefinition::<u64, u64>::new("theirs")).unwrap();
        tx.commit().unwrap();
        drop(redb);
        fs::read(&file).unwrap()
    };
    let mut unknown_format = whole.clone();
    (unknown_format[64], unknown_format[192]) = (9, 9);
    let cut_off = whole[..whole.len() / 2].to_vec();
    let cut_short = whole[..100].to_vec();
    for (what, bytes) in [
        ("empty", Vec::new()),
        ("text", b"hello, I am no store".repeat(500)),
        ("cut off", cut_off),
        ("cut off within its header", cut_short),
        ("of another program", other_program),
        ("of an unknown format", unknown_format),
    ] {
        let place = Place::new();
        fs::create_dir_all(place.file().parent().unwrap()).unwrap();
        fs::write(place.file(), &bytes).unwrap();
        let error = place.open().unwrap_err();
        assert_eq!(error.code(), "store_corrupt", "{what}: {error}");
        let reading = Store::open_read_only(&place.file(), &Options::default());
        assert_eq!(reading.unwrap_err().code(), "store_corrupt", "{what}");
        assert_eq!(fs::read(place.file()).unwrap(), bytes, "{what}");
        assert_eq!(place.names(), ["rig.redb"], "{what}");
    }
}

const ADD_TWO: Migration = |tx| tx.put(THINGS, &2, &Thing { text: "added by schema 2".to_owned() });
const REPLACE_TWO: Migration = |tx| {
    let two = tx.get(THINGS, &2)?.unwrap();
    tx.put(THINGS, &2, &Thing { text: format!("{}, changed by schema 3", two.text) })
};

fn later(migrations: &'static [Migration]) -> Options {
    Options { migrations, ..Options::default() }
}

#[test]
fn newer_store() {
    let place = Place::new();
    put(&Store::open(&place.file(), later(&[ADD_TWO])).unwrap(), 1, "one");
    let before = fs::read(place.file()).unwrap();
    let error = place.open().unwrap_err();
    assert_eq!(error.code(), "store_newer");
    assert!(error.to_string().ends_with("has schema 2, and this build knows up to 1"), "{error}");
    let reading = Store::open_read_only(&place.file(), &Options::default());
    assert_eq!(reading.unwrap_err().code(), "store_newer");
    assert_eq!(fs::read(place.file()).unwrap(), before);
}

#[test]
fn an_older_store_is_copied_and_brought_up_to_date() {
    let place = Place::new();
    put(&place.open().unwrap(), 1, "one");
    let before = fs::read(place.file()).unwrap();
    let two = Store::open(&place.file(), later(&[ADD_TWO])).unwrap();
    assert_eq!(get(&two, 2).as_deref(), Some("added by schema 2"));
    drop(two);
    let copy = place.file().with_file_name("rig.redb.schema-1");
    assert_eq!(fs::read(&copy).unwrap(), before);
    assert_eq!(mode(&copy), 0o600);

    let three = Store::open(&place.file(), later(&[ADD_TWO, REPLACE_TWO])).unwrap();
    assert_eq!(get(&three, 2).as_deref(), Some("added by schema 2, changed by schema 3"));
    assert_eq!(get(&three, 1).as_deref(), Some("one"));
    drop(three);
    let four = later(&[ADD_TWO, REPLACE_TWO, |_| Ok(())]);
    drop(Store::open(&place.file(), four).unwrap());
    assert_eq!(place.names(), ["rig.redb", "rig.redb.schema-2", "rig.redb.schema-3"]);
}

#[test]
fn a_migration_that_fails_leaves_the_old_store() {
    let place = Place::new();
    put(&place.open().unwrap(), 1, "one");
    let fails: &[Migration] = &[ADD_TWO, |tx| {
        tx.put(THINGS, &1, &Thing { text: "spoiled".to_owned() })?;
        Err(Error::CursorUnknown)
    }];
    let error = Store::open(&place.file(), later(fails)).unwrap_err();
    assert_eq!(error.code(), "cursor_unknown");
    let store = place.open().unwrap();
    assert_eq!((get(&store, 1).as_deref(), get(&store, 2)), (Some("one"), None));
}

#[test]
fn reading_leaves_no_trace_and_is_shared() {
    let place = Place::new();
    let file = place.file();
    let nothing = Store::open_read_only(&file, &Options::default()).unwrap();
    assert_eq!(nothing.read(|r| r.get(THINGS, &1)).unwrap(), None);
    assert!(!file.exists());

    put(&place.open().unwrap(), 1, "one");
    let before = fs::read(&file).unwrap();
    let one = Store::open_read_only(&file, &Options::default()).unwrap();
    let other = Store::open_read_only(&file, &Options::default()).unwrap();
    for reader in [&one, &other] {
        assert_eq!(reader.read(|r| r.get(THINGS, &1)).unwrap().unwrap().text, "one");
    }
    assert_eq!(place.open().unwrap_err().code(), "store_busy");
    drop((one, other));
    let store = place.open().unwrap();
    assert_eq!(get(&store, 1).as_deref(), Some("one"));
    drop(store);
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_store_whose_owner_was_killed_is_read_without_a_trace() {
    for quick_repair_from in [0, u64::MAX] {
        let place = Place::new();
        let store = Store::open(&place.file(), Options { quick_repair_from, ..Options::default() })
            .unwrap();
        put(&store, 1, "one");
        // What a kill would leave.
        let bytes = fs::read(place.file()).unwrap();
        drop(store);
        fs::write(place.file(), &bytes).unwrap();
        let reader = Store::open_read_only(&place.file(), &Options::default()).unwrap();
        assert_eq!(reader.read(|r| r.get(THINGS, &1)).unwrap().unwrap().text, "one");
        drop(reader);
        assert_eq!(fs::read(place.file()).unwrap(), bytes);
        let store = place.open().unwrap();
        put(&store, 2, "two");
        assert_eq!(store.check(&[THINGS.known()], &[]).unwrap(), []);
    }
}
