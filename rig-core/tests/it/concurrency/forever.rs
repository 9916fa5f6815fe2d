use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;

use rig_core::concurrency::{Failure, Forever, abort, delay, forever, graceful_shutdown};
use tokio::sync::Notify;

use super::{Diary, DropNoted, secs};

/// A loop whose passes are noted at their start and last one second each.
async fn noted(options: Forever, diary: &Diary) {
    let diary = diary.clone();
    let work = move || {
        let diary = diary.clone();
        async move {
            diary.note("begins");
            delay(secs(1.0)).await;
            Ok::<_, Infallible>(())
        }
    };
    forever(options, work).await;
}

#[tokio::test(start_paused = true)]
async fn every_counts_from_the_end_of_a_pass_to_the_start_of_the_next() {
    let (diary, abort) = (Diary::new(), abort());
    let options = Forever { abort: abort.clone(), ..Forever::new("noted", secs(10.0)) };
    tokio::join!(noted(options, &diary), async {
        delay(secs(30.0)).await;
        abort.abort();
    });
    assert_eq!(diary.when(), [0.0, 11.0, 22.0]);
    assert_eq!(diary.begun.elapsed(), secs(30.0));
}

#[tokio::test(start_paused = true)]
async fn with_delay_first_the_first_pass_waits_too() {
    let (diary, abort) = (Diary::new(), abort());
    let options =
        Forever { delay_first: true, abort: abort.clone(), ..Forever::new("noted", secs(10.0)) };
    tokio::join!(noted(options, &diary), async {
        delay(secs(25.0)).await;
        abort.abort();
    });
    assert_eq!(diary.when(), [10.0, 21.0]);
}

#[tokio::test(start_paused = true)]
async fn a_pass_may_say_when_the_next_one_begins() {
    let (diary, abort) = (Diary::new(), abort());
    let options = Forever { abort: abort.clone(), ..Forever::new("naps", secs(10.0)) };
    let passes = diary.clone();
    let mut nap = 0.0;
    let work = move || {
        passes.note("pass");
        nap += 1.0;
        let next = secs(nap);
        async move { Ok::<_, Infallible>(next) }
    };
    tokio::join!(forever(options, work), async {
        delay(secs(8.0)).await;
        abort.abort();
    });
    assert_eq!(diary.when(), [0.0, 1.0, 3.0, 6.0]);
}

#[tokio::test(start_paused = true)]
async fn failed_passes_are_repeated_with_the_pauses_of_backoff_and_end_nothing() {
    let (diary, abort) = (Diary::new(), abort());
    let (passes, told) = (diary.clone(), Diary::new());
    let errors = told.clone();
    let options = Forever {
        abort: abort.clone(),
        on_error: Some(Box::new(move |error, attempt| errors.note(&format!("{attempt}: {error}")))),
        ..Forever::new("fails", secs(10.0))
    };
    let mut calls = 0;
    let work = move || {
        passes.note("pass");
        calls += 1;
        let call = calls;
        async move {
            match call {
                1 => Err("the disk is full".into()),
                2 => panic!("the pass panicked"),
                _ => Ok::<_, Failure>(()),
            }
        }
    };
    tokio::join!(forever(options, work), async {
        delay(secs(12.0)).await;
        abort.abort();
    });
    // After a pass that did not fail the pauses begin anew.
    assert_eq!(diary.when(), [0.0, 0.5, 1.5, 11.5]);
    assert_eq!(told.what(), ["1: the disk is full", "2: it panicked: the pass panicked"]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_before_the_pass_gives_a_future_is_a_failed_pass() {
    let (diary, abort) = (Diary::new(), abort());
    let options = Forever { abort: abort.clone(), ..Forever::new("panics", secs(10.0)) };
    let (passes, mut calls) = (diary.clone(), 0);
    let work = move || {
        passes.note("pass");
        calls += 1;
        assert!(calls > 1, "not yet");
        async { Ok::<_, Infallible>(()) }
    };
    tokio::join!(forever(options, work), async {
        delay(secs(1.0)).await;
        abort.abort();
    });
    assert_eq!(diary.when(), [0.0, 0.5]);
}

#[tokio::test(start_paused = true)]
async fn on_abort_the_running_pass_ends_and_then_it_returns() {
    let (diary, abort) = (Diary::new(), abort());
    let options = Forever { abort: abort.clone(), ..Forever::new("noted", secs(10.0)) };
    tokio::join!(noted(options, &diary), async {
        delay(secs(0.25)).await;
        abort.abort();
    });
    assert_eq!(diary.begun.elapsed(), secs(1.0));
    assert_eq!(diary.when(), [0.0]);
}

#[tokio::test(start_paused = true)]
async fn on_abort_a_failing_pass_is_not_repeated_whether_it_runs_or_backs_off() {
    // The pass takes 1 s and fails; it would be repeated half a second later.
    for (at, ends) in [(0.5, 1.0), (1.25, 1.25)] {
        let (diary, abort) = (Diary::new(), abort());
        let options = Forever { abort: abort.clone(), ..Forever::new("fails", secs(10.0)) };
        let passes = diary.clone();
        let work = move || {
            passes.note("pass");
            async {
                delay(secs(1.0)).await;
                Err::<(), _>("no")
            }
        };
        tokio::join!(forever(options, work), async {
            delay(secs(at)).await;
            abort.abort();
        });
        assert_eq!(diary.when(), [0.0]);
        assert_eq!(diary.begun.elapsed(), secs(ends));
    }
}

#[tokio::test(start_paused = true)]
async fn aborted_before_the_start_it_returns_with_no_passes() {
    for delay_first in [false, true] {
        let (diary, abort) = (Diary::new(), abort());
        abort.abort();
        let options = Forever { abort, delay_first, ..Forever::new("noted", secs(10.0)) };
        noted(options, &diary).await;
        assert!(diary.what().is_empty());
        assert_eq!(diary.begun.elapsed(), secs(0.0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_wake_begins_the_next_pass_at_once_and_one_during_a_pass_is_kept() {
    let (diary, abort, wake) = (Diary::new(), abort(), Arc::new(Notify::new()));
    let options = Forever {
        abort: abort.clone(),
        wake: Arc::clone(&wake),
        ..Forever::new("noted", secs(10.0))
    };
    tokio::join!(noted(options, &diary), async {
        delay(secs(0.5)).await;
        // Twice during one pass is one pass more.
        wake.notify_one();
        wake.notify_one();
        delay(secs(4.5)).await;
        wake.notify_one();
        delay(secs(12.0)).await;
        abort.abort();
    });
    assert_eq!(diary.when(), [0.0, 1.0, 5.0, 16.0]);
}

#[tokio::test(start_paused = true)]
async fn a_wake_does_not_hurry_a_pass_that_backs_off_and_is_kept() {
    let (diary, abort, wake) = (Diary::new(), abort(), Arc::new(Notify::new()));
    let options = Forever {
        abort: abort.clone(),
        wake: Arc::clone(&wake),
        ..Forever::new("fails once", secs(10.0))
    };
    let (passes, mut calls) = (diary.clone(), 0);
    let work = move || {
        passes.note("pass");
        calls += 1;
        std::future::ready(if calls == 1 { Err("no") } else { Ok(()) })
    };
    tokio::join!(forever(options, work), async {
        delay(secs(0.25)).await;
        wake.notify_one();
        delay(secs(5.0)).await;
        abort.abort();
    });
    assert_eq!(diary.when(), [0.0, 0.5, 0.5]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_loop_drops_the_running_pass() {
    let diary = Diary::new();
    let held = diary.clone();
    let looping = forever(Forever::new("stuck", secs(10.0)), move || {
        let held = DropNoted(held.clone(), "pass dropped");
        async move {
            let _held = held;
            pending::<Result<(), Infallible>>().await
        }
    });
    let looping = tokio::spawn(looping);
    delay(secs(1.0)).await;
    looping.abort();
    delay(secs(1.0)).await;
    assert_eq!(diary.what(), ["pass dropped"]);
    assert_eq!(diary.when(), [1.0]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_callback_does_not_end_the_loop() {
    let (diary, abort) = (Diary::new(), abort());
    let options = Forever {
        abort: abort.clone(),
        on_error: Some(Box::new(|_, _| panic!("the callback panicked"))),
        ..Forever::new("fails once", secs(10.0))
    };
    let (passes, mut calls) = (diary.clone(), 0);
    let work = move || {
        passes.note("pass");
        calls += 1;
        std::future::ready(if calls == 1 { Err("no") } else { Ok(()) })
    };
    tokio::join!(forever(options, work), async {
        delay(secs(1.0)).await;
        abort.abort();
    });
    assert_eq!(diary.when(), [0.0, 0.5]);
}

#[tokio::test(start_paused = true)]
async fn the_name_is_free_once_it_has_returned_though_the_future_is_still_held() {
    let shutdown = graceful_shutdown(abort());
    let own = abort();
    own.abort();
    let options = Forever {
        abort: own,
        shutdown: Some(shutdown.clone()),
        ..Forever::new("held", secs(10.0))
    };
    let mut looping = std::pin::pin!(forever(options, || async { Ok::<_, Infallible>(()) }));
    looping.as_mut().await;
    assert!(shutdown.pending().is_empty() && shutdown.loops().is_empty());
}
