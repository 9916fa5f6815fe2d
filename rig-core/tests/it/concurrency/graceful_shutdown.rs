use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use rig_core::concurrency::{
    Failed, Failure, GracefulShutdown, Registered, SHUTDOWN_LIMIT, ShutdownReport, abort, delay,
    graceful_shutdown,
};
use tokio::task::yield_now;

use super::{Diary, DropNoted, secs};

/// A handler that takes so long, and notes its end.
fn noted(shutdown: &GracefulShutdown, name: &'static str, lasts: f64, diary: &Diary) -> Registered {
    let diary = diary.clone();
    let handler = move || async move {
        delay(secs(lasts)).await;
        diary.note(name);
        Ok::<_, Infallible>(())
    };
    shutdown.register(name, handler).unwrap()
}

#[tokio::test(start_paused = true)]
async fn of_a_shutdown_with_one_late_and_one_failing_handler_both_are_told_and_the_rest_is_done() {
    let (shutdown, diary) = (graceful_shutdown(abort()), Diary::new());
    let _late = noted(&shutdown, "late", 11.0, &diary);
    let _quick = noted(&shutdown, "quick", 1.0, &diary);
    let _slow = noted(&shutdown, "slow", 9.0, &diary);
    let failing = || async {
        delay(secs(2.0)).await;
        Err(std::io::Error::other("the disk is gone"))
    };
    let _failing = shutdown.register("failing", failing).unwrap();
    let report = shutdown.shutdown(SHUTDOWN_LIMIT).await;
    let failed = [Failed { name: "failing".to_owned(), error: "the disk is gone".to_owned() }];
    assert_eq!(report.timed_out, ["late"]);
    assert_eq!(report.failed, failed);
    // In parallel, so the limit is that of all.
    assert_eq!(diary.begun.elapsed(), secs(10.0));
    assert_eq!((diary.what(), diary.when()), (vec!["quick".into(), "slow".into()], vec![1.0, 9.0]));
    // The late one is not cut off, and stays pending until it is done.
    assert_eq!(shutdown.pending(), ["late"]);
    delay(secs(1.5)).await;
    assert_eq!(diary.what(), ["quick", "slow", "late"]);
    assert!(shutdown.pending().is_empty());
}

#[tokio::test(start_paused = true)]
async fn both_lists_are_sorted_and_a_panic_is_a_failure() {
    let shutdown = graceful_shutdown(abort());
    let mut kept = Vec::new();
    for name in ["z", "a", "m"] {
        let stuck = pending::<Result<(), Infallible>>;
        kept.push(shutdown.register(&format!("stuck {name}"), stuck).unwrap());
        let fails = move || async move { Err::<(), _>(format!("{name} failed")) };
        kept.push(shutdown.register(&format!("fails {name}"), fails).unwrap());
    }
    let panics = || -> std::future::Ready<Result<(), Infallible>> { panic!("no") };
    kept.push(shutdown.register("fails p", panics).unwrap());
    let report = shutdown.shutdown(secs(1.0)).await;
    assert_eq!(report.timed_out, ["stuck a", "stuck m", "stuck z"]);
    let failed: Vec<_> = report.failed.iter().map(|failed| &failed.error[..]).collect();
    assert_eq!(failed, ["a failed", "m failed", "it panicked: no", "z failed"]);
    assert_eq!(shutdown.pending(), report.timed_out);
}

#[tokio::test(start_paused = true)]
async fn it_aborts_before_any_handler_runs() {
    let abort = abort();
    let shutdown = graceful_shutdown(abort.clone());
    let seen = abort.clone();
    let handler =
        move || async move { if seen.is_aborted() { Ok(()) } else { Err("not aborted yet") } };
    let _kept = shutdown.register("looks", handler).unwrap();
    assert!(!abort.is_aborted());
    assert_eq!(shutdown.shutdown(SHUTDOWN_LIMIT).await, ShutdownReport::default());
    assert!(abort.is_aborted());
}

#[tokio::test(start_paused = true)]
async fn the_same_name_replaces_the_earlier_handler_and_a_guard_removes_only_its_own() {
    let (shutdown, diary) = (graceful_shutdown(abort()), Diary::new());
    let held = DropNoted(diary.clone(), "first dropped");
    let first = shutdown.register("store", move || async move {
        let _held = held;
        Err::<(), _>("replaced")
    });
    let second = noted(&shutdown, "store", 0.0, &diary);
    assert_eq!(diary.what(), ["first dropped"]);
    drop(first);
    assert_eq!(shutdown.pending(), ["store"]);
    let other = noted(&shutdown, "other", 0.0, &diary);
    drop(other);
    assert_eq!(shutdown.pending(), ["store"]);
    assert_eq!(shutdown.shutdown(SHUTDOWN_LIMIT).await, ShutdownReport::default());
    assert_eq!(diary.what(), ["first dropped", "store"]);
    drop(second);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_guard_leaves_nothing_to_run() {
    let (shutdown, diary) = (graceful_shutdown(abort()), Diary::new());
    drop(noted(&shutdown, "gone", 0.0, &diary));
    assert!(shutdown.pending().is_empty());
    shutdown.shutdown(SHUTDOWN_LIMIT).await;
    assert!(diary.what().is_empty());
}

#[tokio::test(start_paused = true)]
async fn once_it_has_begun_registering_is_refused() {
    let (shutdown, diary) = (graceful_shutdown(abort()), Diary::new());
    let stuck = noted(&shutdown, "slow", 5.0, &diary);
    let running = tokio::spawn({
        let shutdown = shutdown.clone();
        async move { shutdown.shutdown(SHUTDOWN_LIMIT).await }
    });
    delay(secs(1.0)).await;
    let refused = shutdown.register("new", || async { Ok::<_, Infallible>(()) }).unwrap_err();
    assert_eq!((refused.code(), refused.to_string().as_str()), ("aborted", "`new` was aborted"));
    // A guard takes back nothing that runs.
    drop(stuck);
    assert_eq!(shutdown.pending(), ["slow"]);
    running.await.unwrap();
    assert_eq!(diary.what(), ["slow"]);
    assert!(shutdown.register("new", || async { Ok::<_, Infallible>(()) }).is_err());
}

#[tokio::test(start_paused = true)]
async fn it_runs_once_and_every_caller_gets_that_report() {
    let (shutdown, diary) = (graceful_shutdown(abort()), Diary::new());
    let _late = noted(&shutdown, "late", 20.0, &diary);
    let _quick = noted(&shutdown, "quick", 1.0, &diary);
    let (first, second, third) =
        tokio::join!(shutdown.shutdown(secs(5.0)), shutdown.shutdown(Duration::MAX), async {
            delay(secs(2.0)).await;
            shutdown.shutdown(Duration::ZERO).await
        });
    assert_eq!(first.timed_out, ["late"]);
    assert_eq!((&second, &third), (&first, &first));
    assert_eq!(diary.begun.elapsed(), secs(5.0));
    delay(secs(60.0)).await;
    assert_eq!(shutdown.shutdown(SHUTDOWN_LIMIT).await, first);
    assert_eq!(diary.what(), ["quick", "late"]);
}

#[tokio::test(start_paused = true)]
async fn it_goes_on_when_its_caller_is_dropped() {
    let (shutdown, diary) = (graceful_shutdown(abort()), Diary::new());
    let _slow = noted(&shutdown, "slow", 5.0, &diary);
    let caller = tokio::spawn({
        let shutdown = shutdown.clone();
        async move { shutdown.shutdown(SHUTDOWN_LIMIT).await }
    });
    yield_now().await;
    caller.abort();
    assert_eq!(shutdown.shutdown(Duration::ZERO).await, ShutdownReport::default());
    assert_eq!(diary.what(), ["slow"]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_use_the_shutdown_it_is_part_of() {
    let shutdown = graceful_shutdown(abort());
    let own = shutdown.clone();
    let handler = move || async move {
        assert_eq!(own.pending(), ["own"]);
        let refused = own.register("more", || async { Ok::<_, Infallible>(()) });
        Err::<(), Failure>(refused.unwrap_err().into())
    };
    let _kept = shutdown.register("own", handler).unwrap();
    let report = shutdown.shutdown(SHUTDOWN_LIMIT).await;
    assert_eq!(report.failed[0].error, "`more` was aborted");
}
