use rig_core::concurrency::{async_locks, delay};
use tokio::task::yield_now;

use super::{Diary, secs};

#[tokio::test(start_paused = true)]
async fn works_of_one_key_take_turns_and_those_of_others_do_not_wait() {
    let (locks, diary) = (async_locks::<&str>(), Diary::new());
    let run = |key: &'static str, lasts: f64| {
        let (locks, diary) = (locks.clone(), diary.clone());
        async move {
            let work = || async {
                delay(secs(lasts)).await;
                diary.note(key);
            };
            locks.run_in_lock(key, work).await.unwrap();
        }
    };
    tokio::join!(run("a", 1.0), run("a", 1.0), run("b", 1.5));
    assert_eq!(diary.what(), ["a", "b", "a"]);
    assert_eq!(diary.when(), [1.0, 1.5, 2.0]);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_nobody_uses_is_forgotten_however_its_calls_ended() {
    let locks = async_locks::<u32>();
    let begin = |key: u32, panics: bool| {
        let locks = locks.clone();
        tokio::spawn(async move {
            let work = || async {
                delay(secs(1.0)).await;
                assert!(!panics);
            };
            locks.run_in_lock(key, work).await
        })
    };
    let (done, waiting, panics, dropped) =
        (begin(1, false), begin(1, false), begin(2, true), begin(3, false));
    yield_now().await;
    assert_eq!(locks.in_use(), 3);
    dropped.abort();
    assert!(dropped.await.is_err());
    assert_eq!(locks.in_use(), 2);
    assert!(panics.await.is_err());
    done.await.unwrap().unwrap();
    assert_eq!(locks.in_use(), 1);
    waiting.await.unwrap().unwrap();
    assert_eq!(locks.in_use(), 0);
}

#[tokio::test(start_paused = true)]
async fn reentry_is_by_key() {
    let locks = async_locks::<&str>().named("repositories");
    let inner = locks.run_in_lock("a", || async {
        (locks.run_in_lock("b", || async { 1 }).await, locks.run_in_lock("a", || async {}).await)
    });
    let (other, own) = inner.await.unwrap();
    assert_eq!(other, Ok(1));
    let own = own.unwrap_err();
    assert_eq!(own.to_string(), "the lock `repositories` is held by the work that asks for it");
    assert_eq!(locks.in_use(), 0);
}
