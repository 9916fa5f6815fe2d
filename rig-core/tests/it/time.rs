use std::sync::Arc;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use rig_core::cancel::Cancel;
use rig_core::clock::{BootId, Clock as _, Deadline, ManualClock, Now, SystemClock};
use rig_core::time::Timestamp;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn an_instant_is_written_in_utc_with_three_decimals() {
    assert_eq!(Timestamp::default().to_string(), "1970-01-01T00:00:00.000Z");
    assert_eq!(at("2026-08-01T20:30:00+02:00").to_string(), "2026-08-01T18:30:00.000Z");
    assert_eq!(at("1969-12-31T23:59:59.9Z").as_millis(), -100);
    assert_eq!(
        serde_json::to_string(&at("2026-08-01T18:30:00Z")).unwrap(),
        "\"2026-08-01T18:30:00.000Z\""
    );
}

#[test]
fn a_fraction_of_a_millisecond_counts_as_a_whole_one() {
    assert_eq!(at("1970-01-01T00:00:00.0010001Z").as_millis(), 2);
    assert_eq!(at("1970-01-01T00:00:00.001000Z").as_millis(), 1);
    assert_eq!(at("1969-12-31T23:59:59.9990001Z").as_millis(), 0);
}

#[test]
fn what_is_not_an_instant_is_refused() {
    for text in [
        "",
        "now",
        "2026-08-01",
        "2026-08-01T18:30:00",
        "2026-13-01T00:00:00Z",
        "+10000-01-01T00:00:00Z",
    ] {
        assert!(text.parse::<Timestamp>().is_err(), "{text:?}");
    }
    assert!(Timestamp::from_millis(i64::MAX).is_none());
    assert!(Timestamp::from_millis(i64::MIN).is_none());
}

#[test]
fn a_sum_that_does_not_fit_is_none() {
    let last = at("9999-12-31T23:59:59.999Z");
    assert_eq!(last.checked_add(Duration::from_millis(1)), None);
    assert_eq!(last.checked_add(Duration::MAX), None);
    assert_eq!(last.checked_add(Duration::from_micros(999)), Some(last));
}

#[test]
fn the_time_since_a_later_instant_is_zero() {
    let (earlier, later) = (at("2026-08-01T18:30:00Z"), at("2026-08-01T18:30:01.5Z"));
    assert_eq!(later.since(earlier), Duration::from_millis(1500));
    assert_eq!(earlier.since(later), Duration::ZERO);
}

#[test]
fn a_manual_clock_stands_still_until_it_is_moved() {
    let start = at("2026-08-01T18:30:00Z");
    let clock = ManualClock::new(start);
    assert_eq!(clock.now(), start);
    clock.advance(Duration::from_secs(90));
    assert_eq!(clock.now(), at("2026-08-01T18:31:30Z"));
    clock.set(start);
    assert_eq!(clock.now(), start);
    clock.advance(Duration::MAX);
    assert_eq!(clock.now(), start);
}

#[test]
fn the_clock_that_counts_from_the_start_follows_time_and_not_the_calendar() {
    let start = at("2026-08-01T18:30:00Z");
    let clock = ManualClock::new(start);
    let began = Now::read(&clock);
    clock.advance(Duration::from_mins(20));
    clock.set(start);
    let later = Now::read(&clock);
    assert_eq!(later.wall, start);
    let passed = |earlier: Now| Some(clock.boot()?.since(earlier.boot?)?.as_secs());
    assert_eq!(passed(began), Some(1200));

    clock.reboot(Duration::from_mins(30));
    assert_eq!(clock.now(), at("2026-08-01T19:00:00Z"));
    assert_eq!(clock.boot().map(|boot| boot.ms), Some(0));
    assert_eq!(passed(later), None);

    assert_eq!(ManualClock::without_boot(start).boot(), None);
}

#[test]
fn the_system_clock_tells_this_century() {
    let now = SystemClock::default().now();
    assert!(now > at("2020-01-01T00:00:00Z"));
    assert!(now < at("2120-01-01T00:00:00Z"));
}

#[test]
#[cfg(target_os = "linux")]
fn the_system_clock_knows_this_start_of_the_machine() {
    let clock = SystemClock::default();
    let (first, second) = (clock.boot().unwrap(), clock.boot().unwrap());
    assert_eq!(first.id, second.id);
    assert!(first.ms <= second.ms);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    assert_eq!(first.id.to_string(), kernel.trim());

    let other = BootId::from_bits(7);
    assert_eq!(SystemClock::with_boot_id(other).boot().map(|boot| boot.id), Some(other));
}

#[test]
fn a_deadline_counts_down() {
    let far = Deadline::after(Duration::from_hours(1));
    assert!(!far.has_passed());
    assert!(far.left() <= Duration::from_hours(1));
    let passed = Deadline::after(Duration::ZERO);
    assert!(passed.has_passed());
    assert_eq!(passed.left(), Duration::ZERO);
    assert!(!Deadline::after(Duration::MAX).has_passed());
}

#[test]
fn a_set_flag_ends_a_pause_in_another_thread() {
    let cancel = Cancel::new();
    assert!(!cancel.is_cancelled());
    assert!(!cancel.pause(Duration::ZERO));
    let paused = thread::spawn({
        let cancel = cancel.clone();
        move || cancel.pause(Duration::from_hours(1))
    });
    cancel.cancel();
    assert!(paused.join().unwrap());
    assert!(cancel.is_cancelled());
    assert!(cancel.pause(Duration::from_hours(1)));
}

#[test]
fn a_flag_that_is_probed_ends_a_pause_and_leaves_the_other_alone() {
    let cancel = Cancel::new();
    let outside = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let probed = cancel.or_when({
        let outside = Arc::clone(&outside);
        move || outside.load(std::sync::atomic::Ordering::SeqCst)
    });
    assert!(probed.pause(Duration::from_hours(1)));
    assert!(!cancel.is_cancelled());
    outside.store(false, std::sync::atomic::Ordering::SeqCst);
    assert!(!probed.is_cancelled());
    cancel.cancel();
    assert!(probed.is_cancelled());
}

proptest! {
    #[test]
    fn an_instant_reads_back_as_itself(ms in -62_167_219_200_000_i64..=253_402_300_799_999) {
        let instant = Timestamp::from_millis(ms).unwrap();
        prop_assert_eq!(instant.to_string().parse::<Timestamp>(), Ok(instant));
        prop_assert_eq!(instant.to_string().len(), "1970-01-01T00:00:00.000Z".len());
    }
}
