use std::convert::Infallible;
use std::fmt;

use rig_core::concurrency::{
    Failure, Forever, GracefulShutdown, LoopState, LoopStatus, abort, delay, forever,
    graceful_shutdown,
};
use tokio::task::{JoinHandle, yield_now};

use super::{Diary, secs};

#[derive(Debug)]
struct CannotRead(std::io::Error);

impl fmt::Display for CannotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot read the file")
    }
}

impl std::error::Error for CannotRead {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// A loop whose passes last 1 s; the first two fail.
fn begin(shutdown: &GracefulShutdown, name: &str) -> JoinHandle<()> {
    let options = Forever { shutdown: Some(shutdown.clone()), ..Forever::new(name, secs(10.0)) };
    let mut calls = 0;
    tokio::spawn(forever(options, move || {
        calls += 1;
        let call = calls;
        async move {
            delay(secs(1.0)).await;
            match call {
                1 => Err(Failure::from(CannotRead(std::io::Error::other("it is a folder")))),
                2 => panic!("twice"),
                _ => Ok(()),
            }
        }
    }))
}

fn status(name: &str, state: LoopState, failures: u32, last_error: Option<&str>) -> LoopStatus {
    LoopStatus { name: name.to_owned(), state, failures, last_error: last_error.map(str::to_owned) }
}

#[tokio::test(start_paused = true)]
async fn a_loop_is_shown_with_its_state_and_last_error_until_it_has_returned() {
    let shutdown = graceful_shutdown(abort());
    let looping = begin(&shutdown, "files");
    let states = [
        (0.5, status("files", LoopState::Running, 0, None)),
        (
            1.25,
            status("files", LoopState::BackingOff, 1, Some("cannot read the file: it is a folder")),
        ),
        (2.0, status("files", LoopState::Running, 1, Some("cannot read the file: it is a folder"))),
        (3.0, status("files", LoopState::BackingOff, 2, Some("it panicked: twice"))),
        (6.0, status("files", LoopState::Sleeping, 0, Some("it panicked: twice"))),
        (15.0, status("files", LoopState::Running, 0, Some("it panicked: twice"))),
    ];
    let mut now = 0.0;
    for (at, status) in states {
        delay(secs(at - now)).await;
        now = at;
        assert_eq!(shutdown.loops(), [status], "at {at} s");
    }
    assert!(!looping.is_finished());
    shutdown.shutdown(secs(10.0)).await;
    looping.await.unwrap();
    assert!(shutdown.loops().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_name_is_registered_until_the_loop_has_returned_and_a_shutdown_waits_for_it() {
    let (shutdown, diary) = (graceful_shutdown(abort()), Diary::new());
    // Each has an abort of its own, which the shutdown fires.
    let loops = [begin(&shutdown, "b"), begin(&shutdown, "a")];
    assert_eq!(shutdown.pending(), ["a", "b"]);
    delay(secs(0.25)).await;
    assert_eq!(
        shutdown.loops().iter().map(|shown| &shown.name[..]).collect::<Vec<_>>(),
        ["a", "b"]
    );
    let report = shutdown.shutdown(secs(10.0)).await;
    assert!(report.timed_out.is_empty() && report.failed.is_empty(), "{report:?}");
    assert_eq!(diary.begun.elapsed(), secs(1.0));
    assert!(shutdown.pending().is_empty());
    for looping in loops {
        looping.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_was_aborted_or_dropped_by_itself_is_not_waited_for() {
    let shutdown = graceful_shutdown(abort());
    let own = abort();
    let options = Forever {
        abort: own.clone(),
        shutdown: Some(shutdown.clone()),
        ..Forever::new("own", secs(10.0))
    };
    let aborted = tokio::spawn(forever(options, || async { Ok::<_, Infallible>(()) }));
    let dropped = begin(&shutdown, "dropped");
    yield_now().await;
    assert_eq!(shutdown.pending(), ["dropped", "own"]);
    own.abort();
    aborted.await.unwrap();
    dropped.abort();
    assert!(dropped.await.is_err());
    assert!(shutdown.pending().is_empty() && shutdown.loops().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_loop_begun_after_the_shutdown_makes_no_pass() {
    let (shutdown, diary) = (graceful_shutdown(abort()), Diary::new());
    shutdown.shutdown(secs(10.0)).await;
    let options = Forever { shutdown: Some(shutdown.clone()), ..Forever::new("late", secs(10.0)) };
    let passes = diary.clone();
    let work = move || {
        passes.note("pass");
        async { Ok::<_, Infallible>(()) }
    };
    forever(options, work).await;
    assert!(diary.what().is_empty() && shutdown.loops().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_pass_beyond_the_limit_is_named() {
    let shutdown = graceful_shutdown(abort());
    let looping = begin(&shutdown, "slow");
    delay(secs(0.25)).await;
    let report = shutdown.shutdown(secs(0.5)).await;
    assert_eq!(report.timed_out, ["slow"]);
    assert_eq!(shutdown.pending(), ["slow"]);
    looping.await.unwrap();
    yield_now().await;
    delay(secs(0.1)).await;
    assert!(shutdown.pending().is_empty());
}
