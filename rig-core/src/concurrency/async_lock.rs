use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread::{self, ThreadId};

use tokio::task::{self, unconstrained};

use super::error::LockReentry;

/// Runs one work at a time, in the order in which the calls were first polled. Clones share the
/// lock.
#[derive(Clone, Debug, Default)]
pub struct AsyncLock {
    name: Option<Arc<str>>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Whoever holds it runs; it is handed on in the order in which it was asked for.
    turn: tokio::sync::Mutex<()>,
    /// Where the running work is being polled at this moment. A call that is polled there as well is
    /// part of the work.
    polled_on: Mutex<Option<Place>>,
}

/// The thread and the task, if it is one, that poll.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place(ThreadId, Option<task::Id>);

impl Place {
    fn here() -> Self {
        Self(thread::current().id(), task::try_id())
    }
}

/// A lock that nobody holds.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), rig_core::concurrency::LockReentry> {
/// let lock = rig_core::concurrency::async_lock().named("ledger");
/// let sum = lock.run_in_lock(|| async { 1 + 1 }).await?;
/// assert_eq!(sum, 2);
///
/// // Work that asks for its own lock would wait for itself.
/// let inner = lock.run_in_lock(|| lock.run_in_lock(|| async {})).await?;
/// assert_eq!(inner.unwrap_err().code(), "lock_reentry");
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn async_lock() -> AsyncLock {
    AsyncLock::default()
}

/// The same as [`async_lock`], for where the calls are thought of as a queue.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), rig_core::concurrency::LockReentry> {
/// let queue = rig_core::concurrency::async_queue();
/// let (first, second) = (queue.run_in_lock(|| async { 1 }), queue.run_in_lock(|| async { 2 }));
/// assert_eq!((first.await?, second.await?), (1, 2));
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn async_queue() -> AsyncLock {
    async_lock()
}

impl AsyncLock {
    /// The same lock under a name, which its error then tells.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Waits for its turn, runs `work`, and returns what that returned. What it fails or panics with
    /// reaches this caller only, and the next work runs.
    ///
    /// Dropping a waiting call gives up its place; dropping the running one drops its work.
    ///
    /// # Errors
    ///
    /// [`LockReentry`], at once, if the call comes from inside the work that holds the lock. Tasks
    /// spawned there are apart: they wait for their turn.
    pub async fn run_in_lock<W, F>(&self, work: W) -> Result<F::Output, LockReentry>
    where
        W: FnOnce() -> F,
        F: Future,
    {
        // A first poll always takes a place, however busy its task has been.
        let mut turn = pin!(unconstrained(self.shared.turn.lock()));
        let _turn = poll_fn(|cx| {
            if *self.shared.polled_on() == Some(Place::here()) {
                return Poll::Ready(Err(self.reentry()));
            }
            turn.as_mut().poll(cx).map(Ok)
        })
        .await?;
        // Dropped before the turn is handed on.
        let mut work = pin!(async move { work().await });
        let done = poll_fn(|cx| {
            let _polling = Polling::begin(&self.shared);
            work.as_mut().poll(cx)
        });
        Ok(done.await)
    }

    fn reentry(&self) -> LockReentry {
        LockReentry { name: self.name.as_deref().map(str::to_owned) }
    }
}

impl Shared {
    fn polled_on(&self) -> MutexGuard<'_, Option<Place>> {
        // It cannot be left half-written.
        self.polled_on.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes that the work is being polled here, for as long as it lives.
struct Polling<'a>(&'a Shared);

impl<'a> Polling<'a> {
    fn begin(shared: &'a Shared) -> Self {
        *shared.polled_on() = Some(Place::here());
        Self(shared)
    }
}

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        *self.0.polled_on() = None;
    }
}
