use std::time::Duration;

use rig_core::concurrency::{Abort, Backoff, Ended, Retry, abort, backoff, delay, retry};
use tokio::time::Instant;

use super::{Diary, secs};

/// Work that fails so many times, and notes each call.
fn fails(times: u32, diary: &Diary) -> impl FnMut() -> std::future::Ready<Result<u32, u32>> {
    let (diary, mut calls) = (diary.clone(), 0);
    move || {
        calls += 1;
        diary.note("call");
        std::future::ready(if calls <= times { Err(calls) } else { Ok(calls) })
    }
}

#[tokio::test(start_paused = true)]
async fn work_that_fails_five_times_is_called_at_0_half_1_and_a_half_3_and_a_half_7_and_a_half_15_and_a_half_s()
 {
    let diary = Diary::new();
    assert_eq!(backoff(Backoff::default(), fails(5, &diary)).await, Ok(6));
    assert_eq!(diary.when(), [0.0, 0.5, 1.5, 3.5, 7.5, 15.5]);
}

#[tokio::test(start_paused = true)]
async fn pauses_double_to_a_minute_and_it_goes_on_for_ever() {
    let diary = Diary::new();
    assert_eq!(backoff(Backoff::default(), fails(1000, &diary)).await, Ok(1001));
    let when = diary.when();
    let pauses: Vec<f64> = when.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(pauses[..9], [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]);
    assert!(pauses[9..].iter().all(|pause| (pause - 60.0).abs() < 1e-6));
}

#[tokio::test(start_paused = true)]
async fn first_factor_and_cap_are_the_callers() {
    let diary = Diary::new();
    let options = Backoff { first: secs(1.0), factor: 3, cap: secs(5.0), ..Backoff::default() };
    assert_eq!(backoff(options, fails(4, &diary)).await, Ok(5));
    assert_eq!(diary.when(), [0.0, 1.0, 4.0, 9.0, 14.0]);
}

#[tokio::test(start_paused = true)]
async fn each_error_is_told_with_its_attempt_from_1() {
    let mut told = Vec::new();
    let options = Backoff {
        on_error: Some(Box::new(|error: &u32, attempt| told.push((*error, attempt)))),
        ..Backoff::default()
    };
    assert_eq!(backoff(options, fails(3, &Diary::new())).await, Ok(4));
    assert_eq!(told, [(1, 1), (2, 2), (3, 3)]);
}

#[tokio::test(start_paused = true)]
async fn aborted_before_the_start_it_is_aborted_with_no_calls() {
    let (diary, abort) = (Diary::new(), abort().named("upload"));
    abort.abort();
    let options = Backoff { abort, ..Backoff::default() };
    let Err(Ended::Aborted(error)) = backoff(options, fails(5, &diary)).await else {
        panic!("it was not aborted")
    };
    assert_eq!((error.code(), error.to_string().as_str()), ("aborted", "`upload` was aborted"));
    assert!(diary.what().is_empty());
}

#[tokio::test(start_paused = true)]
async fn aborted_in_a_pause_it_is_aborted_then_and_calls_no_more() {
    let (diary, abort) = (Diary::new(), abort());
    let options = Backoff { abort: abort.clone(), ..Backoff::default() };
    let (ended, ()) = tokio::join!(backoff(options, fails(9, &diary)), async {
        delay(secs(2.0)).await;
        abort.abort();
    });
    assert!(matches!(ended, Err(Ended::Aborted(_))));
    assert_eq!(diary.begun.elapsed(), secs(2.0));
    assert_eq!(diary.when(), [0.0, 0.5, 1.5]);
}

async fn aborted_during_work(
    outcome: Result<u32, u32>,
) -> (Result<u32, Ended<u32>>, Duration, u32) {
    let (begun, abort, mut calls) = (Instant::now(), Abort::default(), 0);
    let options = Backoff { abort: abort.clone(), ..Backoff::default() };
    let work = || {
        calls += 1;
        async {
            delay(secs(2.0)).await;
            outcome
        }
    };
    let (ended, ()) = tokio::join!(backoff(options, work), async {
        delay(secs(1.0)).await;
        abort.abort();
    });
    (ended, begun.elapsed(), calls)
}

#[tokio::test(start_paused = true)]
async fn aborted_during_work_it_is_not_cut_off_and_its_own_outcome_is_returned() {
    assert_eq!(aborted_during_work(Ok(7)).await, (Ok(7), secs(2.0), 1));
    assert_eq!(aborted_during_work(Err(7)).await, (Err(Ended::Failed(7)), secs(2.0), 1));
}

#[tokio::test(start_paused = true)]
async fn no_pause_is_begun_that_would_end_at_the_time_out_or_later() {
    // The pauses end at 0.5, 1.5, 3.5.
    for (timeout, calls) in [(3.5, 3), (3.501, 4), (0.5, 1), (0.0, 1)] {
        let diary = Diary::new();
        let options = Backoff { timeout: Some(secs(timeout)), ..Backoff::default() };
        assert_eq!(
            backoff(options, fails(9, &diary)).await,
            Err(Ended::Failed(calls)),
            "{timeout}"
        );
        assert_eq!(diary.what().len(), calls as usize);
    }
}

#[tokio::test(start_paused = true)]
async fn a_running_attempt_is_not_cut_off_by_the_time_out() {
    let begun = Instant::now();
    let options = Backoff { timeout: Some(secs(1.0)), ..Backoff::default() };
    let slow = || async {
        delay(secs(5.0)).await;
        Ok::<_, u32>("late")
    };
    assert_eq!(backoff(options, slow).await, Ok("late"));
    assert_eq!(begun.elapsed(), secs(5.0));
}

#[tokio::test(start_paused = true)]
async fn a_retry_ends_after_30_s_from_the_call_with_the_last_real_error() {
    let diary = Diary::new();
    assert_eq!(retry(Retry::default(), fails(99, &diary)).await, Err(Ended::Failed(6)));
    assert_eq!(diary.when(), [0.0, 0.5, 1.5, 3.5, 7.5, 15.5]);
    assert_eq!(diary.begun.elapsed(), secs(15.5));

    // From the call, not from when it is first looked at.
    let diary = Diary::new();
    let called = retry(Retry::default(), fails(99, &diary));
    delay(secs(29.0)).await;
    assert_eq!(called.await, Err(Ended::Failed(2)));
    assert_eq!(diary.when(), [29.0, 29.5]);
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_succeeds_in_time_returns_its_value() {
    let options = Retry { timeout: secs(2.0), ..Retry::default() };
    assert_eq!(retry(options, fails(2, &Diary::new())).await, Ok(3));
}

#[test]
fn how_repeating_ended_reads_as_its_cause() {
    let failed = Ended::Failed(std::io::Error::other("the disk is gone"));
    assert_eq!(failed.to_string(), "the disk is gone");
    assert_eq!(Ended::<std::io::Error>::from(abort_error()).to_string(), "aborted");
}

fn abort_error() -> rig_core::concurrency::Aborted {
    rig_core::concurrency::Aborted { name: None }
}
