//! The disk runs full: new things are refused, everything else goes on, and service returns.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rig_core::store::{
    Error, FreeSpace, Options, Read as _, Record, Store, Table, Transact as _, journal,
};
use serde::{Deserialize, Serialize};

use crate::disk::{Disk, Fate};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Thing {
    text: String,
}

impl Record for Thing {}

const THINGS: Table<u64, Thing> = Table::new("test/things");
const BALLAST: u64 = 8 << 20;
const ROOM: u64 = 16 << 20;

/// A disk, with a folder for the ballast and so many bytes that are said to be free.
struct World {
    folder: tempfile::TempDir,
    disk: Disk,
    free: Arc<AtomicU64>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::holding(Vec::new(), Fate::Well);
        Self { folder, disk, free: Arc::new(AtomicU64::new(ROOM)) }
    }

    fn ballast(&self) -> PathBuf {
        self.folder.path().join("rig.ballast")
    }

    /// There is room once the ballast is gone.
    fn full(&self) -> Fate {
        Fate::FullBeside { file: self.ballast(), from: 0 }
    }

    fn options(&self) -> Options {
        let free = Arc::clone(&self.free);
        Options {
            cache: 1 << 20,
            ballast: Some(self.ballast()),
            free_space: FreeSpace::new(move |_| Ok(free.load(Ordering::SeqCst))),
            ..Options::default()
        }
    }

    fn open(&self) -> Store {
        Store::open_on(self.disk.clone(), self.options()).unwrap()
    }

    fn set_free(&self, bytes: u64) {
        self.free.store(bytes, Ordering::SeqCst);
    }
}

fn make(store: &Store, id: u64) -> Result<(), Error> {
    store.write(move |tx| {
        if tx.get(THINGS, &id)?.is_some() {
            return Ok(());
        }
        tx.ensure_room()?;
        tx.put(THINGS, &id, &Thing { text: "x".repeat(2000) })?;
        tx.event("thing.made", &[], None, &id)
    })
}

fn cancel(store: &Store, id: u64) -> Result<bool, Error> {
    store.write(move |tx| {
        tx.event("thing.cancelled", &[], None, &id)?;
        tx.remove(THINGS, &id)
    })
}

fn kinds(store: &Store) -> Vec<String> {
    let page = store.read(|r| journal::newest(r, None, 100)).unwrap();
    page.events.into_iter().map(|event| event.kind).collect()
}

#[test]
fn full_disk() {
    let world = World::new();
    let store = world.open();
    store.look_at_space().unwrap();
    make(&store, 1).unwrap();
    make(&store, 2).unwrap();

    world.set_free(0);
    world.disk.set_fate(world.full());
    let full = make(&store, 3).unwrap_err();
    assert_eq!(full.code(), "disk_full");
    assert!(
        full.to_string().starts_with("the disk is full, and nothing of the change was saved: ")
    );
    assert!(store.low_space());
    assert!(!world.ballast().exists());
    assert_eq!(kinds(&store), ["thing.made", "thing.made", "store.low_space"]);

    // New things are refused. What exists is answered, read, ended and compacted.
    let refused = make(&store, 3).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "the disk is full, and nothing of the change was saved: {}: new things have to wait \
             until 16 MiB are free",
            world.folder.path().display()
        )
    );
    make(&store, 2).unwrap();
    assert!(cancel(&store, 1).unwrap());
    assert!(store.read(|r| r.get(THINGS, &2)).unwrap().is_some());
    store.compact().unwrap();
    assert_eq!(store.check(&[THINGS.known()], &[]).unwrap(), []);

    // As long as there is too little room, a look changes nothing.
    world.set_free(ROOM - 1);
    store.look_at_space().unwrap();
    assert!(store.low_space() && !world.ballast().exists());
    world.set_free(ROOM);
    world.disk.set_fate(Fate::Well);
    store.look_at_space().unwrap();
    assert!(!store.low_space());
    assert_eq!(fs::metadata(world.ballast()).unwrap().len(), BALLAST);
    make(&store, 3).unwrap();

    // It can happen again, and is told again.
    world.disk.set_fate(world.full());
    assert_eq!(make(&store, 4).unwrap_err().code(), "disk_full");
    assert_eq!(kinds(&store).last().unwrap(), "store.low_space");
}

#[test]
fn the_ballast_is_really_written_and_only_by_who_stays() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options { free_space: FreeSpace::new(|_| Ok(ROOM)), ..Options::default() };
    let file = folder.path().join("rig.redb");
    let ballast = folder.path().join("rig.ballast");
    let store = Store::open(&file, options()).unwrap();
    make(&store, 1).unwrap();
    assert!(!ballast.exists());
    // What a crash left of another attempt.
    fs::write(folder.path().join("rig.ballast.new"), "unfinished").unwrap();
    fs::write(&ballast, "not whole").unwrap();
    store.look_at_space().unwrap();
    let about = fs::metadata(&ballast).unwrap();
    assert_eq!((about.len(), about.permissions().mode() & 0o777), (BALLAST, 0o600));
    assert!(about.blocks() * 512 >= BALLAST, "{} blocks", about.blocks());
    assert!(!folder.path().join("rig.ballast.new").exists());
    let written = about.modified().unwrap();
    store.look_at_space().unwrap();
    assert_eq!(fs::metadata(&ballast).unwrap().modified().unwrap(), written);
}

#[test]
fn without_a_ballast_low_space_is_told_once_there_is_room() {
    let world = World::new();
    let store = world.open();
    make(&store, 1).unwrap();
    world.disk.set_fate(Fate::FullFrom(0));
    world.set_free(0);
    assert_eq!(make(&store, 2).unwrap_err().code(), "disk_full");
    assert_eq!(cancel(&store, 1).unwrap_err().code(), "disk_full");
    assert_eq!(kinds(&store), ["thing.made"]);
    assert!(store.low_space());
    world.disk.set_fate(Fate::Well);
    assert!(cancel(&store, 1).unwrap());
    assert_eq!(kinds(&store), ["thing.made", "thing.cancelled", "store.low_space"]);
}

#[test]
fn that_space_is_low_is_known_to_the_next_process() {
    let world = World::new();
    let store = world.open();
    store.look_at_space().unwrap();
    world.set_free(0);
    world.disk.set_fate(world.full());
    assert_eq!(make(&store, 1).unwrap_err().code(), "disk_full");
    drop(store);
    let store = world.open();
    assert!(store.low_space());
    assert_eq!(make(&store, 1).unwrap_err().code(), "disk_full");
    drop(store);
    // One that finds room does not wait for a look at it.
    world.set_free(ROOM);
    world.disk.set_fate(Fate::Well);
    let store = world.open();
    assert!(!store.low_space());
    make(&store, 1).unwrap();
    store.look_at_space().unwrap();
    drop(store);
    world.set_free(0);
    assert!(!world.open().low_space());
}

#[test]
fn a_sync_that_finds_no_room_leaves_it_open_what_was_saved() {
    let world = World::new();
    let store = world.open();
    store.look_at_space().unwrap();
    world.disk.set_fate(Fate::FullAtSync);
    let failed = make(&store, 1).unwrap_err();
    assert_eq!(failed.code(), "store_failed");
    assert!(store.low_space() && !world.ballast().exists());
    store.look_at_space().unwrap();
    make(&store, 1).unwrap();
    assert_eq!(store.read(|r| r.page(THINGS, .., 10)).unwrap().len(), 1);
}

#[test]
fn a_ballast_that_cannot_be_written_leaves_space_low() {
    let world = World::new();
    let store = world.open();
    store.look_at_space().unwrap();
    world.disk.set_fate(world.full());
    assert_eq!(make(&store, 1).unwrap_err().code(), "disk_full");
    world.disk.set_fate(Fate::Well);
    fs::create_dir(world.ballast()).unwrap();
    assert_eq!(store.look_at_space().unwrap_err().code(), "store_failed");
    assert!(store.low_space());
    fs::remove_dir(world.ballast()).unwrap();
    store.look_at_space().unwrap();
    assert!(!store.low_space());
}

/// The folder of a file system of 32 MiB that is really full in the end.
const SMALL_DISK: &str = "RIG_TEST_SMALL_DISK";

#[test]
fn full_disk_of_real_files() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=32m none \"$RIG_TEST_SMALL_DISK\" || exit 77; exec \"$0\" \
                  --ignored --exact space::on_a_small_disk";
    let ended = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .env(SMALL_DISK, folder.path())
        .output();
    match ended {
        Ok(ended) if ended.status.success() => {
            assert!(String::from_utf8_lossy(&ended.stdout).contains("1 passed"), "{ended:?}");
        }
        // Who may not mount anything has no small disk: the tests with a storage of their own stay.
        Ok(ended) if matches!(ended.status.code(), Some(1 | 77)) => eprintln!("skipped"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => eprintln!("skipped"),
        failed => panic!("{failed:?}"),
    }
}

/// What happens on the small disk. It is not a test of its own.
#[test]
#[ignore = "it is started on a disk of its own"]
fn on_a_small_disk() {
    let folder = PathBuf::from(std::env::var_os(SMALL_DISK).unwrap());
    let store = Store::open(&folder.join("rig.redb"), Options::default()).unwrap();
    store.look_at_space().unwrap();
    let large = |id: u64| {
        store.write(move |tx| {
            tx.ensure_room()?;
            tx.put(THINGS, &id, &Thing { text: "x".repeat(500_000) })
        })
    };
    let made = (0..100).take_while(|id| large(*id).is_ok()).count() as u64;
    assert!((5..60).contains(&made), "{made}");
    assert_eq!(large(made).unwrap_err().code(), "disk_full");
    assert!(store.low_space() && !folder.join("rig.ballast").exists());
    assert_eq!(kinds(&store), ["store.low_space"]);

    // With the room of the ballast everything can be ended, and that makes room.
    store.look_at_space().unwrap();
    assert!(store.low_space());
    (0..made).for_each(|id| assert!(cancel(&store, id).unwrap()));
    store.compact().unwrap();
    store.look_at_space().unwrap();
    assert!(!store.low_space() && folder.join("rig.ballast").exists());
    large(0).unwrap();
    assert_eq!(store.check(&[THINGS.known()], &[]).unwrap(), []);
}
