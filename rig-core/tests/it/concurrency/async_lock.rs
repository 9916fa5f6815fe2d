use std::future::pending;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use rig_core::concurrency::{AsyncLock, async_lock, async_queue, delay};
use tokio::runtime::Builder;
use tokio::task::{JoinError, JoinHandle, yield_now};

use super::{Diary, DropNoted, secs};

/// A call in a task of its own; it has a place once this returns.
async fn call(lock: &AsyncLock, diary: &Diary, name: &'static str, lasts: f64) -> JoinHandle<()> {
    let (lock, diary) = (lock.clone(), diary.clone());
    let task = tokio::spawn(async move {
        let done = lock.run_in_lock(|| async {
            diary.note(&format!("{name} begins"));
            delay(secs(lasts)).await;
            diary.note(&format!("{name} ends"));
        });
        done.await.unwrap();
    });
    yield_now().await;
    task
}

#[tokio::test(start_paused = true)]
async fn run_in_lock_by_three_with_a_failing_second_runs_one_two_three_and_only_the_second_caller_sees_it()
 {
    let (lock, diary) = (async_lock(), Diary::new());
    let run = |name: &'static str, outcome: Result<i32, &'static str>| {
        let (lock, diary) = (lock.clone(), diary.clone());
        async move {
            let work = || async {
                delay(secs(1.0)).await;
                diary.note(name);
                outcome
            };
            lock.run_in_lock(work).await.unwrap()
        }
    };
    let (one, two, three) =
        tokio::join!(run("1", Ok(1)), run("2", Err("the second failed")), run("3", Ok(3)));
    assert_eq!((one, two, three), (Ok(1), Err("the second failed"), Ok(3)));
    assert_eq!(diary.what(), ["1", "2", "3"]);
    assert_eq!(diary.when(), [1.0, 2.0, 3.0]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_reaches_its_own_caller_only_and_the_next_work_runs() {
    let (lock, diary) = (async_lock(), Diary::new());
    let first = call(&lock, &diary, "first", 1.0).await;
    let panics: JoinHandle<()> = tokio::spawn({
        let lock = lock.clone();
        async move { lock.run_in_lock(|| async { panic!("no") }).await.unwrap() }
    });
    yield_now().await;
    let last = call(&lock, &diary, "last", 1.0).await;
    first.await.unwrap();
    assert!(panics.await.is_err_and(|error| JoinError::is_panic(&error)));
    last.await.unwrap();
    assert_eq!(diary.what(), ["first begins", "first ends", "last begins", "last ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_before_the_work_gives_a_future_reaches_its_own_caller_only() {
    let lock = async_lock();
    let panics = tokio::spawn({
        let lock = lock.clone();
        async move {
            let no_work = || -> std::future::Ready<()> { panic!("no") };
            lock.run_in_lock(no_work).await.unwrap();
        }
    });
    assert!(panics.await.is_err_and(|error| error.is_panic()));
    assert_eq!(lock.run_in_lock(|| async { 1 }).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn calls_run_in_the_order_in_which_they_were_first_polled() {
    let (queue, diary) = (async_queue(), Diary::new());
    let [later, sooner] = ["made first", "polled first"].map(|name| {
        let (queue, diary) = (queue.clone(), diary.clone());
        async move { queue.run_in_lock(|| async { diary.note(name) }).await }
    });
    let running = call(&queue, &diary, "running", 1.0).await;
    let sooner = tokio::spawn(sooner);
    yield_now().await;
    later.await.unwrap();
    sooner.await.unwrap().unwrap();
    running.await.unwrap();
    assert_eq!(diary.what(), ["running begins", "running ends", "polled first", "made first"]);
}

#[tokio::test(start_paused = true)]
async fn a_busy_task_takes_its_place_at_its_first_poll() {
    let (lock, diary) = (async_lock(), Diary::new());
    let running = call(&lock, &diary, "running", 1.0).await;
    let busy = tokio::spawn({
        let (lock, diary) = (lock.clone(), diary.clone());
        async move {
            // tokio gives a task so much to do until it should let others go first.
            while tokio::task::coop::has_budget_remaining() {
                tokio::task::consume_budget().await;
            }
            lock.run_in_lock(|| async { diary.note("busy") }).await
        }
    });
    yield_now().await;
    let last = call(&lock, &diary, "last", 1.0).await;
    running.await.unwrap();
    busy.await.unwrap().unwrap();
    last.await.unwrap();
    assert_eq!(
        diary.what(),
        ["running begins", "running ends", "busy", "last begins", "last ends"]
    );
}

#[tokio::test(start_paused = true)]
async fn dropping_a_waiting_call_gives_up_its_place() {
    let (lock, diary) = (async_lock(), Diary::new());
    let first = call(&lock, &diary, "first", 1.0).await;
    let dropped = call(&lock, &diary, "dropped", 1.0).await;
    let last = call(&lock, &diary, "last", 1.0).await;
    dropped.abort();
    first.await.unwrap();
    last.await.unwrap();
    assert!(dropped.await.is_err_and(|error| error.is_cancelled()));
    assert_eq!(diary.when(), [0.0, 1.0, 1.0, 2.0]);
    assert_eq!(diary.what(), ["first begins", "first ends", "last begins", "last ends"]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_running_call_drops_its_work_before_the_next_begins() {
    let (lock, diary) = (async_lock(), Diary::new());
    let running = tokio::spawn({
        let (lock, diary) = (lock.clone(), diary.clone());
        async move {
            let work = || async {
                let _held = DropNoted(diary, "work dropped");
                pending::<()>().await;
            };
            lock.run_in_lock(work).await
        }
    });
    yield_now().await;
    let next = call(&lock, &diary, "next", 1.0).await;
    running.abort();
    next.await.unwrap();
    assert_eq!(diary.what(), ["work dropped", "next begins", "next ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_from_inside_its_own_work_is_lock_reentry_at_once() {
    let lock = async_lock().named("ledger");
    let inner = lock.run_in_lock(|| async {
        delay(secs(1.0)).await;
        // Deeper inside, and beside other things of the same work, it is still inside.
        let (inner, ()) = tokio::join!(lock.run_in_lock(|| async {}), delay(secs(1.0)));
        inner
    });
    let error = inner.await.unwrap().unwrap_err();
    assert_eq!(error.code(), "lock_reentry");
    assert_eq!(error.to_string(), "the lock `ledger` is held by the work that asks for it");
    assert_eq!(lock.run_in_lock(|| async { 1 }).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn reentry_through_another_lock_is_seen_and_another_lock_is_no_reentry() {
    let (outer, inner) = (async_lock(), async_lock());
    let through = outer.run_in_lock(|| inner.run_in_lock(|| outer.run_in_lock(|| async {})));
    assert_eq!(through.await.unwrap().unwrap().unwrap_err().code(), "lock_reentry");
}

#[tokio::test(start_paused = true)]
async fn a_task_spawned_inside_the_work_waits_for_its_turn() {
    let (lock, diary) = (async_lock(), Diary::new());
    let spawned = lock.run_in_lock(|| async {
        let spawned = call(&lock, &diary, "spawned", 1.0).await;
        delay(secs(1.0)).await;
        diary.note("work ends");
        (spawned,)
    });
    let (spawned,) = spawned.await.unwrap();
    spawned.await.unwrap();
    assert_eq!(diary.what(), ["work ends", "spawned begins", "spawned ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_local_task_spawned_inside_the_work_is_apart_too() {
    let (lock, local) = (async_lock(), tokio::task::LocalSet::new());
    let spawned = lock.run_in_lock(|| {
        local.run_until(async {
            let lock = lock.clone();
            let spawned =
                tokio::task::spawn_local(async move { lock.run_in_lock(|| async {}).await });
            delay(secs(1.0)).await;
            (spawned,)
        })
    });
    let (spawned,) = spawned.await.unwrap();
    assert_eq!(local.run_until(spawned).await.unwrap(), Ok(()));
}

#[test]
fn calls_of_several_threads_run_one_at_a_time() {
    let (lock, count) = (async_lock(), AtomicU32::new(0));
    let calls = || async {
        for _ in 0..100 {
            let work = || async {
                let before = count.load(Ordering::Relaxed);
                yield_now().await;
                count.store(before + 1, Ordering::Relaxed);
            };
            lock.run_in_lock(work).await.unwrap();
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| Builder::new_current_thread().build().unwrap().block_on(calls()));
        }
    });
    assert_eq!(count.into_inner(), 400);
}
