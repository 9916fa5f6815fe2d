//! The due index: order, elapsed and wall-clock times, another start of the machine.

use std::sync::Arc;
use std::time::Duration;

use redb::backends::InMemoryBackend;
use rig_core::clock::{ManualClock, Now};
use rig_core::due::{self, Due, Owner, Taken, When};
use rig_core::store::{Error, Options, Store, Transact as _};
use rig_core::time::Timestamp;

const WAIT: Owner = Owner::new("wait");
const MESSAGE: Owner = Owner::new("message");
const UNKNOWN: Owner = Owner::new("of_a_later_build");

struct World {
    clock: Arc<ManualClock>,
    store: Store,
}

impl World {
    fn new() -> Self {
        Self::on(ManualClock::new("2026-08-01T00:00:00Z".parse().unwrap()))
    }

    fn on(clock: ManualClock) -> Self {
        let clock = Arc::new(clock);
        let options = Options { clock: clock.clone(), ..Options::default() };
        Self { store: Store::open_on(InMemoryBackend::new(), options).unwrap(), clock }
    }

    fn now(&self) -> Now {
        Now::read(self.clock.as_ref())
    }

    fn arm(&self, due: Due, when: When) {
        self.store.write(move |tx| due::arm(tx, due, when)).unwrap();
    }

    /// Arms a wait of so many minutes.
    fn elapsed(&self, id: u128, minutes: u64) {
        let (now, left) = (self.now(), Duration::from_mins(minutes));
        let due_at = now.wall.checked_add(left).unwrap();
        self.arm(Due::new(WAIT, id), When::Elapsed { now, left, due_at });
    }

    /// Arms a message so many minutes ahead.
    fn wall(&self, id: u128, minutes: u64) {
        let at = self.now().wall.checked_add(Duration::from_mins(minutes)).unwrap();
        self.arm(Due::new(MESSAGE, id), When::Wall(at));
    }

    fn pass(&self, minutes: u64) {
        self.clock.advance(Duration::from_mins(minutes));
    }

    fn anchor(&self, limit: usize) -> bool {
        let now = self.now();
        self.store.write(move |tx| due::anchor(tx, now, limit)).unwrap()
    }

    fn taken(&self, limit: usize) -> Taken {
        let now = self.now();
        self.store.read(|r| due::taken(r, now, limit, |due| Ok(due.owner != UNKNOWN))).unwrap()
    }

    fn due(&self) -> Vec<u128> {
        self.taken(1000).rows.iter().map(|due| due.id).collect()
    }

    /// Minutes until the next thing is due.
    fn next(&self) -> Option<u64> {
        let now = self.now();
        let mine = |due: &Due| Ok(due.owner != UNKNOWN);
        let next = self.store.read(|r| due::next(r, now, mine)).unwrap();
        next.map(|next| next.as_secs() / 60)
    }

    fn agree(&self) {
        assert_eq!(self.store.read(due::agree).unwrap(), []);
    }
}

#[test]
fn elapsed_times_come_first_then_those_of_the_wall_clock_each_by_due_and_id() {
    let world = World::new();
    world.wall(7, 1);
    world.wall(5, 2);
    world.wall(4, 2);
    world.elapsed(9, 3);
    world.elapsed(8, 3);
    world.elapsed(1, 60);
    world.wall(2, 60);
    assert_eq!(world.next(), Some(1));
    world.pass(3);
    assert_eq!(world.next(), Some(0));
    assert_eq!(world.due(), [8, 9, 7, 4, 5]);
    let taken = world.taken(4);
    assert!(taken.left);
    assert_eq!(taken.rows.len(), 4);
    assert!(!world.taken(5).left);
    world.agree();
}

#[test]
fn a_thing_has_one_row_however_often_it_is_armed() {
    let world = World::new();
    world.elapsed(1, 5);
    world.elapsed(1, 10);
    world.arm(Due::new(WAIT, 1), When::Wall(Timestamp::from_millis(0).unwrap()));
    world.elapsed(1, 7);
    let pending = || world.store.read(due::pending_by_owner).unwrap();
    assert_eq!(world.next(), Some(7));
    assert_eq!(pending(), [(WAIT, 1)]);
    world.wall(1, 9);
    assert_eq!(pending(), [(MESSAGE, 1), (WAIT, 1)]);

    let disarm = |due| world.store.write(move |tx| due::disarm(tx, due)).unwrap();
    assert!(disarm(Due::new(WAIT, 1)));
    assert!(!disarm(Due::new(WAIT, 1)));
    assert_eq!(world.next(), Some(9));
    assert_eq!(pending(), [(MESSAGE, 1)]);
    world.agree();
}

#[test]
fn rows_of_an_unknown_owner_stay_and_are_not_next() {
    let world = World::new();
    for id in 0..300 {
        world.arm(Due::new(UNKNOWN, id), When::Wall(world.now().wall));
    }
    assert_eq!(world.next(), None);
    world.wall(1, 5);
    assert_eq!(world.next(), Some(5));
    world.pass(5);
    assert_eq!(world.taken(1), Taken { rows: vec![Due::new(MESSAGE, 1)], left: false });
    let pending = world.store.read(due::pending_by_owner).unwrap();
    assert_eq!(pending, [(MESSAGE, 1), (UNKNOWN, 300)]);
}

#[test]
fn the_wall_clock_moves_only_its_own() {
    let world = World::new();
    world.elapsed(1, 30);
    world.wall(2, 30);
    let start = world.now().wall;
    world.clock.set(start.checked_add(Duration::from_hours(1)).unwrap());
    assert_eq!(world.due(), [2]);
    world.clock.set(Timestamp::from_millis(start.as_millis() - 3_600_000).unwrap());
    assert_eq!(world.due(), []);
    world.pass(30);
    assert_eq!(world.due(), [1]);
}

#[test]
fn after_a_restart_of_the_machine_the_wall_clock_tells_once_what_is_left() {
    let world = World::new();
    world.elapsed(1, 60);
    world.elapsed(2, 20);
    world.pass(10);
    world.clock.reboot(Duration::from_mins(20));
    assert_eq!(world.due(), []);
    assert_eq!(world.next(), Some(0));
    assert!(!world.anchor(1000));
    assert_eq!(world.due(), [2]);
    world.agree();

    // From here on a step of the wall clock changes nothing.
    world.clock.set(Timestamp::from_millis(0).unwrap());
    world.pass(29);
    assert_eq!(world.due(), [2]);
    world.pass(1);
    assert_eq!(world.due(), [2, 1]);
}

#[test]
fn a_wall_clock_set_back_leaves_no_more_than_was_left_before() {
    let world = World::new();
    world.elapsed(1, 60);
    world.pass(10);
    // The store sees the clock again whenever an elapsed time is armed.
    world.elapsed(2, 240);
    world.clock.reboot(Duration::ZERO);
    world.clock.set(Timestamp::from_millis(0).unwrap());
    assert!(!world.anchor(1000));
    assert_eq!(world.next(), Some(50));
    // A second time, it is what was left after the first.
    world.clock.reboot(Duration::ZERO);
    world.clock.set(Timestamp::from_millis(0).unwrap());
    assert!(!world.anchor(1000));
    assert_eq!(world.next(), Some(50));
}

#[test]
fn anchoring_goes_on_where_it_stopped_and_begins_anew_after_another_restart() {
    let world = World::new();
    for id in 0..25 {
        world.elapsed(id, 60 + u64::try_from(id).unwrap());
    }
    world.clock.reboot(Duration::from_mins(30));
    assert!(world.anchor(10));
    assert_eq!(world.due(), []);
    assert_eq!(world.next(), Some(0));
    // A wait that is started meanwhile is measured from the new start, and is not moved.
    world.elapsed(100, 40);
    assert!(world.anchor(10));
    world.pass(5);
    world.clock.reboot(Duration::from_mins(5));
    let mut passes = 0;
    while world.anchor(10) {
        passes += 1;
        assert!(passes < 10);
    }
    world.agree();
    assert_eq!(world.next(), Some(20));
    world.pass(29);
    assert_eq!(world.due().len(), 10);
    world.pass(1);
    assert!(world.due().contains(&100));
    world.pass(60);
    assert_eq!(world.due().len(), 26);
    assert!(!world.anchor(10));
}

#[test]
fn an_operation_that_fails_while_anchoring_leaves_all_as_it_was() {
    let world = World::new();
    world.elapsed(1, 60);
    world.clock.reboot(Duration::from_mins(10));
    let now = world.now();
    let failed: Result<(), Error> = world.store.write(move |tx| {
        due::anchor(tx, now, 1000)?;
        Err(Error::CursorUnknown)
    });
    failed.unwrap_err();
    assert_eq!(world.next(), Some(0));
    assert!(!world.anchor(1000));
    assert_eq!(world.next(), Some(50));
}

#[test]
fn a_machine_that_does_not_tell_its_starts_apart_follows_the_wall_clock() {
    let world = World::on(ManualClock::without_boot("2026-08-01T00:00:00Z".parse().unwrap()));
    world.elapsed(1, 60);
    assert_eq!(world.next(), Some(60));
    world.clock.set("2026-08-01T01:00:00Z".parse().unwrap());
    assert_eq!(world.due(), [1]);
    assert!(!world.anchor(1000));
}

#[test]
fn whether_one_thing_is_due_is_known_without_the_others() {
    let world = World::new();
    world.elapsed(1, 60);
    world.wall(2, 60);
    let due = |owner, id| {
        let now = world.now();
        world.store.read(|r| due::is_due(r, Due::new(owner, id), now)).unwrap()
    };
    assert!(!due(WAIT, 1) && !due(MESSAGE, 2) && !due(WAIT, 3));
    world.pass(60);
    assert!(due(WAIT, 1) && due(MESSAGE, 2));
    // Not yet anchored, the answer is the one that there will be.
    world.elapsed(3, 60);
    world.clock.reboot(Duration::from_mins(59));
    assert!(due(WAIT, 1) && !due(WAIT, 3));
    world.pass(1);
    assert!(due(WAIT, 3));
}

#[test]
fn the_rows_keep_their_form() {
    let world = World::new();
    world.elapsed(1, 60);
    world.wall(2, 60);
    let mut lines = Vec::new();
    world
        .store
        .dump(due::TABLES, |line| {
            if line.table.starts_with("core/due") {
                lines.push(serde_json::to_string(&line).unwrap());
            }
            Ok::<_, Error>(())
        })
        .unwrap();
    let boot = "00000000-0000-0000-0000-000000000001";
    let wait = "wait:00000000000000000000000001";
    let message = "message:00000000000000000000000002";
    let at = "2026-08-01T01:00:00.000Z";
    assert_eq!(
        lines,
        [
            format!(r#"{{"table":"core/due","key":"{wait}","value":{{"boot":3600000}}}}"#),
            format!(r#"{{"table":"core/due","key":"{message}","value":{{"wall":"{at}"}}}}"#),
            format!(
                r#"{{"table":"core/due_anchor","key":"boot","value":{{"boot":{{"id":"{boot}","ms":0}},"moving":null}}}}"#
            ),
            format!(
                r#"{{"table":"core/due_boot","key":[3600000,"{wait}"],"value":{{"boot":"{boot}","dueAt":"{at}","fromMs":0}}}}"#
            ),
            r#"{"table":"core/due_pending","key":"message","value":1}"#.to_owned(),
            r#"{"table":"core/due_pending","key":"wait","value":1}"#.to_owned(),
            format!(r#"{{"table":"core/due_wall","key":["{at}","{message}"],"value":null}}"#),
        ]
    );
}
