use std::sync::Arc;
use std::time::Duration;

use rig_core::clock::{Clock, ManualClock, Now};
use rig_core::id::AgentId;
use rig_core::store::journal::{self, NEWEST};
use rig_core::store::{Cursor, Error, Event, Options, Store, Transact as _};
use rig_core::time::Timestamp;
use serde_json::json;

struct World {
    folder: tempfile::TempDir,
    clock: Arc<ManualClock>,
    store: Store,
}

fn options(clock: &Arc<ManualClock>) -> Options {
    let clock: Arc<dyn Clock> = clock.clone();
    Options { clock, ..Options::default() }
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new("2026-08-01T00:00:00Z".parse().unwrap()));
        let store = Store::open(&folder.path().join("rig.redb"), options(&clock)).unwrap();
        Self { folder, clock, store }
    }

    fn restart(self) -> Self {
        let Self { folder, clock, store } = self;
        store.close().unwrap();
        let store = Store::open(&folder.path().join("rig.redb"), options(&clock)).unwrap();
        Self { folder, clock, store }
    }

    fn tell(&self, numbers: std::ops::Range<u64>, agent: Option<AgentId>) {
        self.store
            .write(move |tx| {
                numbers.clone().try_for_each(|number| tx.event("test.told", &[], agent, &number))
            })
            .unwrap_or_else(|error: Error| panic!("{error}"));
    }

    fn snapshot(&self) -> Cursor {
        self.store.read(journal::snapshot).unwrap()
    }

    fn after(&self, cursor: &Cursor, limit: usize) -> Result<journal::Page, Error> {
        self.store.read(|r| journal::after(r, cursor, None, limit))
    }
}

fn numbers(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.data.as_u64().unwrap()).collect()
}

#[test]
fn list_then_follow() {
    let world = World::new();
    world.tell(0..5, None);
    let listed = world.snapshot();
    world.tell(5..8, None);
    let page = world.after(&listed, 100).unwrap();
    assert_eq!(numbers(&page.events), [5, 6, 7]);
    assert!(!page.more);
    assert_eq!(page.cursor, world.snapshot());
    let world = world.restart();
    assert_eq!(world.after(&page.cursor, 100).unwrap().events, []);
}

#[test]
fn pages_neither_miss_nor_repeat() {
    let world = World::new();
    let mut cursor = world.snapshot();
    world.tell(0..250, None);
    let mut seen = Vec::new();
    loop {
        let page = world.after(&cursor, 100).unwrap();
        seen.extend(numbers(&page.events));
        cursor = page.cursor;
        if !page.more {
            break;
        }
    }
    assert_eq!(seen, (0..250).collect::<Vec<_>>());
    let newest = world.store.read(|r| journal::newest(r, None, NEWEST)).unwrap();
    assert_eq!(numbers(&newest.events), (150..250).collect::<Vec<_>>());
    assert_eq!(newest.cursor, cursor);
}

#[test]
fn an_agent_sees_what_concerns_it() {
    let world = World::new();
    let (mine, other) = (AgentId::generate(), AgentId::generate());
    let start = world.snapshot();
    world.tell(0..2, Some(mine));
    world.tell(2..4, Some(other));
    world.tell(4..6, None);
    world.store.write(move |tx| tx.event("test.told", &[&mine], None, &6)).unwrap();
    let page = world.store.read(|r| journal::after(r, &start, Some(mine), 100)).unwrap();
    assert_eq!(numbers(&page.events), [0, 1, 6]);
    let newest = world.store.read(|r| journal::newest(r, Some(mine), 2)).unwrap();
    assert_eq!(numbers(&newest.events), [1, 6]);
}

#[test]
fn an_event_as_it_is_shown() {
    let world = World::new();
    let agent = AgentId::generate();
    world
        .store
        .write(move |tx| tx.event("test.told", &[&"ws_1", &"prj_1"], Some(agent), &json!({"a": 1})))
        .unwrap();
    let page = world.store.read(|r| journal::newest(r, None, NEWEST)).unwrap();
    let event = &page.events[0];
    assert_eq!(
        serde_json::to_string(event).unwrap(),
        format!(
            r#"{{"cursor":"{}","id":"{}","at":"2026-08-01T00:00:00.000Z","type":"test.told","about":["ws_1","prj_1"],"agentId":"{agent}","data":{{"a":1}}}}"#,
            page.cursor, event.id,
        )
    );
}

#[test]
fn cursors_that_are_refused() {
    let (world, other) = (World::new(), World::new());
    let code = |cursor: &str| match cursor.parse::<Cursor>() {
        Ok(cursor) => world.after(&cursor, 1).map_or_else(|error| error.code(), |_| "accepted"),
        Err(error) => error.code(),
    };
    let mine = world.snapshot().to_string();
    assert!(mine.len() <= 64);
    assert_eq!(code(&mine), "accepted");
    assert_eq!(code(&other.snapshot().to_string()), "cursor_unknown");
    let store = &mine[..mine.len() - 1];
    assert_eq!(code(&format!("{store}7")), "cursor_unknown");
    for malformed in ["", "7", store, &format!("{store}+0"), &format!("{store}00"), &mine[1..]] {
        assert_eq!(code(malformed), "cursor_malformed", "{malformed:?}");
    }
}

#[test]
fn the_journal_is_cut_by_age_and_never_below_10_000_events() {
    let world = World::new();
    let start = world.snapshot();
    world.tell(0..6000, None);
    world.tell(6000..11_500, None);
    let old = world.after(&start, 1).unwrap().cursor;
    let cut = || world.store.write(journal::prune).unwrap();
    assert_eq!(cut(), 0);
    world.clock.advance(Duration::from_hours(30 * 24));
    assert_eq!(cut(), 0);
    world.clock.advance(Duration::from_millis(1));
    assert_eq!([cut(), cut(), cut()], [1000, 500, 0]);
    assert_eq!(world.after(&start, 1).unwrap_err().code(), "cursor_expired");
    assert_eq!(world.after(&old, 1).unwrap_err().code(), "cursor_expired");
    let kept = world.store.read(|r| journal::newest(r, None, 2000)).unwrap();
    assert_eq!(numbers(&kept.events).last(), Some(&11_499));
    let world = world.restart();
    let last_pruned = format!("{}-1500", start.to_string().split_once('-').unwrap().0);
    let page = world.after(&last_pruned.parse().unwrap(), 1).unwrap();
    assert_eq!(numbers(&page.events), [1500]);
}

#[test]
fn subscribers_are_told_once_after_the_commit_and_never_of_what_failed() {
    let world = World::new();
    let mut subscription = world.store.subscribe();
    assert!(!subscription.look_again());
    world.tell(0..3, None);
    world.tell(3..4, None);
    assert!(subscription.wait(Duration::from_hours(1)));
    assert!(!subscription.look_again());
    let refused = world.store.write(|tx| {
        tx.event("test.told", &[], None, &0)?;
        Err::<(), _>(Error::CursorUnknown)
    });
    assert_eq!(refused.unwrap_err().code(), "cursor_unknown");
    assert!(!subscription.look_again());
    drop(world);
    assert!(!subscription.wait(Duration::from_hours(1)));
}

#[test]
fn a_clock_that_went_back_while_closed_is_told_once() {
    let world = World::new();
    world.tell(0..1, None);
    let start = world.snapshot();
    let back = |world: &World, ms: i64| {
        let now = world.clock.now().as_millis();
        world.clock.set(Timestamp::from_millis(now - ms).unwrap());
    };
    back(&world, 1000);
    let world = world.restart();
    world.tell(1..2, None);
    back(&world, 1001);
    let world = world.restart();
    world.tell(2..3, None);
    world.tell(3..4, None);
    let world = world.restart();
    world.tell(4..5, None);
    let events = world.after(&start, 100).unwrap().events;
    let told: Vec<_> = events.iter().map(|e| (e.kind.as_str(), e.data.clone())).collect();
    assert_eq!(
        told,
        [
            ("test.told", json!(1)),
            ("test.told", json!(2)),
            ("clock.stepped", json!({ "ms": -1001 })),
            ("test.told", json!(3)),
            ("test.told", json!(4)),
        ]
    );
}

#[test]
fn a_clock_that_was_set_over_a_nap_is_told_with_the_signed_milliseconds() {
    let world = World::new();
    let start = world.snapshot();
    let nap = |set: i64| {
        let before = Now::read(world.clock.as_ref());
        world.clock.advance(Duration::from_secs(30));
        let now = world.clock.now().as_millis();
        world.clock.set(Timestamp::from_millis(now + set).unwrap());
        let after = Now::read(world.clock.as_ref());
        world.store.look_at_clock(&before, &after).unwrap()
    };
    let steps = [0, 999, -999, 1000, -1000, 3_600_000, -3_600_000];
    let told = [None, None, None, Some(1000), Some(-1000), Some(3_600_000), Some(-3_600_000)];
    assert_eq!(steps.map(nap), told);
    let events = world.after(&start, 100).unwrap().events;
    assert!(events.iter().all(|event| event.kind == "clock.stepped"));
    let ms: Vec<_> = events.iter().map(|event| event.data["ms"].as_i64()).collect();
    assert_eq!(ms, told[3..]);

    // Over a restart of the machine, and without its clock, nobody knows.
    let before = Now::read(world.clock.as_ref());
    world.clock.reboot(Duration::from_hours(1));
    let after = Now::read(world.clock.as_ref());
    assert_eq!(world.store.look_at_clock(&before, &after).unwrap(), None);
    let without = Now { boot: None, ..after };
    assert_eq!(world.store.look_at_clock(&before, &without).unwrap(), None);
}
