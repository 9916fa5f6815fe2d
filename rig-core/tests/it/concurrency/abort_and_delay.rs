use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::concurrency::{abort, delay, delay_or_abort};
use tokio::time::Instant;

use super::secs;

#[tokio::test(start_paused = true)]
async fn an_abort_fires_once_for_all_clones() {
    let abort = abort();
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            let abort = abort.clone();
            tokio::spawn(async move { abort.aborted().await })
        })
        .collect();
    delay(secs(1.0)).await;
    assert!(!abort.is_aborted() && waiting.iter().all(|task| !task.is_finished()));
    abort.clone().abort();
    abort.abort();
    for task in waiting {
        task.await.unwrap();
    }
    assert!(abort.is_aborted());
    abort.aborted().await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_waits_as_long_as_it_says() {
    let begun = Instant::now();
    delay(secs(2.5)).await;
    assert_eq!(begun.elapsed(), secs(2.5));
    delay(Duration::ZERO).await;
    assert_eq!(delay_or_abort(secs(1.5), &abort()).await, Ok(()));
    assert_eq!(begun.elapsed(), secs(4.0));
}

#[tokio::test(start_paused = true)]
async fn a_delay_ends_when_its_abort_fires() {
    let (begun, abort) = (Instant::now(), abort().named("sync"));
    let waiting = tokio::spawn({
        let abort = abort.clone();
        async move { delay_or_abort(Duration::MAX, &abort).await }
    });
    delay(secs(3.0)).await;
    abort.abort();
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), ("aborted", "`sync` was aborted"));
    assert_eq!(begun.elapsed(), secs(3.0));
}

#[tokio::test(start_paused = true)]
async fn aborted_before_the_start_a_delay_of_zero_is_aborted_at_once() {
    let (begun, abort) = (Instant::now(), abort());
    abort.abort();
    for duration in [Duration::ZERO, secs(5.0)] {
        let error = delay_or_abort(duration, &abort).await.unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), ("aborted", "aborted"));
    }
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[test]
fn blocking_work_ends_with_the_abort_too() {
    let abort = abort();
    let cancel = Cancel::new().or_when({
        let abort = abort.clone();
        move || abort.is_aborted()
    });
    assert!(!cancel.is_cancelled());
    abort.abort();
    assert!(cancel.is_cancelled());
}
