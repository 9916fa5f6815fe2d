use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use redb::Database;

use super::batch;
use super::error::{Error, Result};
use super::operation::{Operation, panicked};
use crate::clock::Clock;

/// Operations of one commit.
const BATCH: usize = 1000;

/// Operations in the queue; more block their caller.
const QUEUE: usize = 1024;

/// What the callers and the writer share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) redb: RwLock<Option<Database>>,
    queue: Mutex<Queue>,
    /// Something was queued, or the store is closing.
    filled: Condvar,
    /// There is room in the queue.
    drained: Condvar,
}

#[derive(Default)]
struct Queue {
    operations: VecDeque<Box<dyn Operation>>,
    closing: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue")
            .field("operations", &self.operations.len())
            .field("closing", &self.closing)
            .finish()
    }
}

/// The one thread that writes.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    #[allow(clippy::disallowed_methods)] // The one thread that a library starts.
    pub(super) fn start(redb: Database, clock: Arc<dyn Clock>) -> Result<Self> {
        let shared = Arc::new(Shared {
            redb: RwLock::new(Some(redb)),
            queue: Mutex::default(),
            filled: Condvar::new(),
            drained: Condvar::new(),
        });
        let at_work = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("rig-store".to_owned())
            .spawn(move || at_work.work(&*clock))
            .map_err(Error::storage)?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Puts an operation in the queue, once there is room.
    pub(super) fn queue(&self, operation: Box<dyn Operation>) -> Result<()> {
        if self.thread.as_ref().is_some_and(|thread| thread.thread().id() == thread::current().id())
        {
            return Err(Error::internal("a write operation wrote to the store by itself"));
        }
        let queue = self.shared.lock();
        let full = |queue: &mut Queue| queue.operations.len() >= QUEUE;
        let mut queue = self
            .shared
            .drained
            .wait_while(queue, full)
            .unwrap_or_else(PoisonError::into_inner);
        queue.operations.push_back(operation);
        self.shared.filled.notify_one();
        Ok(())
    }

    /// Operations that are queued and not yet taken.
    pub(super) fn queued(&self) -> usize {
        self.shared.lock().operations.len()
    }

    /// Ends the thread once the queue is done.
    pub(super) fn finish(&mut self) {
        self.shared.lock().closing = true;
        self.shared.filled.notify_one();
        if let Some(thread) = self.thread.take() {
            // It panics in no operation: those are caught.
            let _ = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics while it holds the lock, and a queue is whole after each change.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, clock: &dyn Clock) {
        while let Some(mut batch) = self.take() {
            let redb = self.redb.read().unwrap_or_else(PoisonError::into_inner);
            let committed = catch_unwind(AssertUnwindSafe(|| match &*redb {
                Some(redb) => batch::commit(redb, clock, &mut batch),
                None => Err(Error::storage("it is closed")),
            }))
            .unwrap_or_else(|panic| Err(panicked(&*panic)));
            if let Err(error) = committed {
                batch.drain(..).for_each(|mut operation| operation.answer(Some(error.clone())));
            }
            let mut queue = self.lock();
            while let Some(operation) = batch.pop_back() {
                queue.operations.push_front(operation);
            }
            drop(queue);
            // Who was answered often has more to write, and gets to say so before the next commit
            // begins. With 32 callers that makes a third fewer commits.
            thread::yield_now();
        }
        self.redb.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// What is queued, up to a batch; none once the store is closing and the queue is empty.
    fn take(&self) -> Option<VecDeque<Box<dyn Operation>>> {
        let idle = |queue: &mut Queue| queue.operations.is_empty() && !queue.closing;
        let mut queue = self
            .filled
            .wait_while(self.lock(), idle)
            .unwrap_or_else(PoisonError::into_inner);
        let many = queue.operations.len().min(BATCH);
        let batch: VecDeque<_> = queue.operations.drain(..many).collect();
        drop(queue);
        self.drained.notify_all();
        (!batch.is_empty()).then_some(batch)
    }
}
