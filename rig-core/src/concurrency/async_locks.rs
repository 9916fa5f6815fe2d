use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::async_lock::{AsyncLock, async_lock};
use super::error::LockReentry;

/// One [`AsyncLock`] per key; works of different keys do not wait for each other. Clones share the
/// locks. A key that nobody uses any more is forgotten.
#[derive(Debug)]
pub struct AsyncLocks<K> {
    name: Option<Arc<str>>,
    used: Arc<Mutex<HashMap<K, Used>>>,
}

#[derive(Debug)]
struct Used {
    lock: AsyncLock,
    calls: usize,
}

/// Locks by key.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), rig_core::concurrency::LockReentry> {
/// let locks = rig_core::concurrency::async_locks::<String>();
/// let done = locks.run_in_lock("app".to_owned(), || async { "done" }).await?;
/// assert_eq!((done, locks.in_use()), ("done", 0));
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn async_locks<K: Clone + Eq + Hash>() -> AsyncLocks<K> {
    AsyncLocks { name: None, used: Arc::default() }
}

impl<K> Clone for AsyncLocks<K> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), used: Arc::clone(&self.used) }
    }
}

impl<K: Clone + Eq + Hash> AsyncLocks<K> {
    /// The same locks under a name, which their error then tells.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// As [`AsyncLock::run_in_lock`], in the lock of `key`.
    ///
    /// # Errors
    ///
    /// [`LockReentry`], at once, if the call comes from inside the work that holds this key's lock.
    pub async fn run_in_lock<W, F>(&self, key: K, work: W) -> Result<F::Output, LockReentry>
    where
        W: FnOnce() -> F,
        F: Future,
    {
        let call = Call::begin(self, key);
        call.lock.run_in_lock(work).await
    }

    /// How many keys have a call that runs or waits.
    #[must_use]
    pub fn in_use(&self) -> usize {
        self.used().len()
    }

    fn used(&self) -> MutexGuard<'_, HashMap<K, Used>> {
        // A count cannot be left half-written.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that waits or runs; the last one of a key takes the lock with it.
struct Call<'a, K: Clone + Eq + Hash> {
    locks: &'a AsyncLocks<K>,
    key: K,
    lock: AsyncLock,
}

impl<'a, K: Clone + Eq + Hash> Call<'a, K> {
    fn begin(locks: &'a AsyncLocks<K>, key: K) -> Self {
        let mut used = locks.used();
        let entry = used.entry(key.clone()).or_insert_with(|| Used {
            lock: match &locks.name {
                Some(name) => async_lock().named(name),
                None => async_lock(),
            },
            calls: 0,
        });
        entry.calls += 1;
        let lock = entry.lock.clone();
        drop(used);
        Self { locks, key, lock }
    }
}

impl<K: Clone + Eq + Hash> Drop for Call<'_, K> {
    fn drop(&mut self) {
        let mut used = self.locks.used();
        let Some(entry) = used.get_mut(&self.key) else { return };
        entry.calls -= 1;
        let forgotten = if entry.calls == 0 { used.remove_entry(&self.key) } else { None };
        // A key is not ours to drop while the lock is held.
        drop(used);
        drop(forgotten);
    }
}
