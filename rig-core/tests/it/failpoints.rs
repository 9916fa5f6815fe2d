//! A process is killed at each of the store's points: what was acknowledged is there, the rest whole
//! or not at all, and the same requests again are safe.

#[cfg(not(feature = "failpoints"))]
#[test]
fn a_normal_build_holds_no_failpoints() {
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    // Put together here, so that the test does not find itself.
    for name in ["before_commit", "after_commit", "queued"] {
        let name = format!("batch.{name}");
        assert!(!program.windows(name.len()).any(|part| part == name.as_bytes()), "{name}");
    }
}

#[cfg(feature = "failpoints")]
mod armed {
    use std::fs;
    use std::os::unix::process::ExitStatusExt as _;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use rig_core::failpoint;
    use rig_core::store::{
        Error, Migration, Options, Read as _, Store, Table, Transact as _, journal,
    };

    const THINGS: Table<u64, String> = Table::new("test/things");
    const MIGRATE: Migration = |tx| tx.put(THINGS, &200, &"of the new schema".to_owned());

    fn make(store: &Store, id: u64) -> Result<bool, Error> {
        store.write(move |tx| {
            let new = tx.get(THINGS, &id)?.is_none();
            if new {
                tx.put(THINGS, &id, &"a thing".to_owned())?;
                tx.event("thing.made", &[], None, &id)?;
            }
            Ok(new)
        })
    }

    fn ids(store: &Store) -> Vec<u64> {
        let rows = store.read(|r| r.page(THINGS, .., 1000)).unwrap();
        rows.into_iter().map(|(id, _)| id).collect()
    }

    fn options(migrations: &'static [Migration]) -> Options {
        Options { quick_repair_from: u64::MAX, migrations, ..Options::default() }
    }

    /// What the process that is killed does. It is not a test of its own.
    #[test]
    #[ignore = "it is started by the others"]
    fn victim() {
        let said = std::env::var("RIG_TEST_VICTIM").unwrap();
        let [file, point, schema] = said.split('|').collect::<Vec<_>>().try_into().unwrap();
        failpoint::arm(point).unwrap();
        let migrations: &[Migration] = if schema == "2" { &[MIGRATE] } else { &[] };
        let store = Store::open(Path::new(file), options(migrations)).unwrap();
        for id in 0..5 {
            make(&store, id).unwrap();
            fs::write(format!("{file}.acknowledged-{id}"), "").unwrap();
        }
        store.close().unwrap();
    }

    struct World {
        folder: tempfile::TempDir,
    }

    impl World {
        /// A store that holds thing 100.
        fn new() -> Self {
            let world = Self { folder: tempfile::tempdir().unwrap() };
            make(&world.open(&[]), 100).unwrap();
            world
        }

        fn file(&self) -> PathBuf {
            self.folder.path().join("rig.redb")
        }

        fn open(&self, migrations: &'static [Migration]) -> Store {
            Store::open(&self.file(), options(migrations)).unwrap()
        }

        /// Kills a process at this point; answers how many things were acknowledged to it.
        fn kill_at(&self, point: &str, schema: u8) -> u64 {
            let ended = Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "failpoints::armed::victim"])
                .env("RIG_TEST_VICTIM", format!("{}|{point}|{schema}", self.file().display()))
                .output()
                .unwrap();
            assert_eq!(ended.status.signal(), Some(9), "{ended:?}");
            let acknowledged =
                |id: &u64| self.file().with_extension(format!("redb.acknowledged-{id}")).exists();
            (0..5).take_while(acknowledged).count() as u64
        }

        /// The things that are there, in a store that is whole; all five are made in the end, each
        /// with one event.
        fn found(&self) -> Vec<u64> {
            let store = self.open(&[]);
            let found = ids(&store);
            assert_eq!(store.check(&[THINGS.known()], &[]).unwrap(), []);
            (0..5).for_each(|id| assert_eq!(make(&store, id).unwrap(), !found.contains(&id)));
            let events = store.read(|r| journal::newest(r, None, 100)).unwrap().events;
            assert_eq!(events.len(), 6);
            found
        }
    }

    #[test]
    fn killed_while_opening() {
        let world = World::new();
        let before = fs::read(world.file()).unwrap();
        assert_eq!(world.kill_at("store.opening", 1), 0);
        assert_eq!(fs::read(world.file()).unwrap(), before);
        assert_eq!(world.found(), [100]);
    }

    #[test]
    fn killed_while_repairing() {
        for pass in 1..=3 {
            let world = World::new();
            // What a kill before would have left.
            let store = world.open(&[]);
            make(&store, 101).unwrap();
            let before = fs::read(world.file()).unwrap();
            drop(store);
            fs::write(world.file(), &before).unwrap();
            assert_eq!(world.kill_at(&format!("store.repairing:{pass}"), 1), 0);
            assert_eq!(fs::read(world.file()).unwrap(), before, "pass {pass}");
            let store = world.open(&[]);
            assert_eq!(ids(&store), [100, 101]);
            assert_eq!(store.check(&[THINGS.known()], &[]).unwrap(), []);
        }
    }

    #[test]
    fn killed_with_operations_queued() {
        let world = World::new();
        assert_eq!(world.kill_at("batch.queued:3", 1), 2);
        assert_eq!(world.found(), [0, 1, 100]);
    }

    #[test]
    fn killed_before_a_commit() {
        let world = World::new();
        assert_eq!(world.kill_at("batch.before_commit:3", 1), 2);
        assert_eq!(world.found(), [0, 1, 100]);
    }

    #[test]
    fn killed_after_a_commit() {
        let world = World::new();
        assert_eq!(world.kill_at("batch.after_commit:3", 1), 2);
        assert_eq!(world.found(), [0, 1, 2, 100]);
    }

    #[test]
    fn killed_while_changing_the_schema() {
        for point in ["schema.copied", "schema.before_commit"] {
            let world = World::new();
            let before = fs::read(world.file()).unwrap();
            assert_eq!(world.kill_at(point, 2), 0);
            let copy = world.file().with_file_name("rig.redb.schema-1");
            assert_eq!(fs::read(copy).unwrap(), before, "{point}");
            // Who has the old schema goes on with it, and who has the new one changes it.
            assert_eq!(ids(&world.open(&[])), [100], "{point}");
            assert_eq!(ids(&world.open(&[MIGRATE])), [100, 200], "{point}");
        }
    }

    #[test]
    fn only_a_point_with_a_number_is_armed() {
        for bad in ["batch.queued:", "batch.queued:0", "batch.queued:-1", "batch.queued:x"] {
            let refused = failpoint::arm(bad).unwrap_err();
            assert_eq!(refused, "the number of passes is a number from 1 on", "{bad}");
        }
    }
}
