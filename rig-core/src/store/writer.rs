use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle, ThreadId};

use super::ballast::Ballast;
use super::batch;
use super::error::{Error, Result};
use super::opened::{Opened, Place};
use super::operation::Operation;
use super::options::Options;
use super::space::Space;
use super::subscription::Bell;
use crate::failpoint;

/// Operations of one commit.
const BATCH: usize = 1000;

/// Operations in the queue; more block their caller.
const QUEUE: usize = 1024;

/// The one thread that writes, and what it shares with the callers.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<Result<()>>>>,
    id: ThreadId,
}

#[derive(Debug)]
struct Shared {
    place: Place,
    options: Options,
    space: Space,
    /// The open file, or why there is none.
    opened: RwLock<Result<Opened>>,
    queue: Mutex<Queue>,
    /// Something was queued, or the store is closing.
    filled: Condvar,
    /// There is room in the queue.
    drained: Condvar,
    bell: Arc<Bell>,
}

#[derive(Default)]
struct Queue {
    operations: VecDeque<Box<dyn Operation>>,
    closing: bool,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue")
            .field("operations", &self.operations.len())
            .field("closing", &self.closing)
            .finish()
    }
}

impl Writer {
    /// Opens the file and starts the thread.
    // The store's writer is the one thread of the libraries.
    #[allow(clippy::disallowed_methods)]
    pub(super) fn start(place: Place, options: Options) -> Result<Self> {
        let opened = Opened::open(&place, &options)?;
        let space = Space::new(place.ballast(&options).map(Ballast::at));
        space.read(&opened.read()?, &options)?;
        let shared = Arc::new(Shared {
            place,
            options,
            space,
            opened: RwLock::new(Ok(opened)),
            queue: Mutex::default(),
            filled: Condvar::new(),
            drained: Condvar::new(),
            bell: Arc::default(),
        });
        let at_work = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("rig-store".to_owned())
            .spawn(move || at_work.work())
            .map_err(|error| Error::io(&error))?;
        Ok(Self { shared, id: thread.thread().id(), thread: Mutex::new(Some(thread)) })
    }

    pub(super) fn options(&self) -> &Options {
        &self.shared.options
    }

    pub(super) fn space(&self) -> &Space {
        &self.shared.space
    }

    pub(super) fn bell(&self) -> &Arc<Bell> {
        &self.shared.bell
    }

    /// Puts an operation in the queue, once there is room. One that is refused is answered.
    pub(super) fn queue(&self, mut operation: Box<dyn Operation>) {
        if self.is_this_thread() {
            let why = "who runs on the store's own thread may not write to it";
            return operation.answer(Some(Error::internal(why)));
        }
        let full = |queue: &mut Queue| queue.operations.len() >= QUEUE && !queue.closing;
        let queue = self.shared.drained.wait_while(self.shared.lock(), full);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        if queue.closing {
            drop(queue);
            return operation.answer(Some(Error::Closed));
        }
        queue.operations.push_back(operation);
        self.shared.filled.notify_one();
    }

    fn is_this_thread(&self) -> bool {
        thread::current().id() == self.id
    }

    /// Operations that are queued and not yet taken.
    pub(super) fn queued(&self) -> usize {
        self.shared.lock().operations.len()
    }

    /// Lends the open file.
    pub(super) fn with<T>(&self, look: impl FnOnce(&Opened) -> Result<T>) -> Result<T> {
        let opened = self.shared.opened.read().unwrap_or_else(PoisonError::into_inner);
        let looked = look(opened.as_ref().map_err(Clone::clone)?);
        looked.map_err(|error| error.at(self.shared.place.path()))
    }

    /// Lends the open file while nobody else uses it.
    pub(super) fn alone<T>(&self, work: impl FnOnce(&mut Opened) -> Result<T>) -> Result<T> {
        let mut opened = self.shared.opened.write().unwrap_or_else(PoisonError::into_inner);
        let done = work(opened.as_mut().map_err(|error| error.clone())?);
        drop(opened);
        if done.is_err() {
            self.shared.recover();
        }
        done.map_err(|error| error.at(self.shared.place.path()))
    }

    /// Finishes what is queued, closes the file and ends the thread.
    pub(super) fn finish(&self) -> Result<()> {
        self.shared.lock().closing = true;
        self.shared.filled.notify_one();
        self.shared.drained.notify_all();
        if self.is_this_thread() {
            return Err(Error::internal("the store's own thread cannot wait for its end"));
        }
        // Who closes it meanwhile waits here, so that it is closed for them too.
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        match thread.take().map(JoinHandle::join) {
            Some(Ok(closed)) => closed,
            Some(Err(_)) => Err(Error::internal("the store's writer panicked")),
            None => Ok(()),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Everything acknowledged is saved by now: what fails here only makes the next opening
        // repair. Who wants to know closes.
        let _ = self.finish();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics while it holds the lock, and a queue is whole after each change.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) -> Result<()> {
        while let Some(mut batch) = self.take() {
            failpoint!("batch.queued");
            if let Err(error) = self.commit(&mut batch) {
                // Before anybody is told, so that who then looks sees what is there.
                self.recover();
                let error = error.at(self.place.path());
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
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        let last = std::mem::replace(&mut *opened, Err(Error::Closed));
        let closed = last.map_or(Ok(()), Opened::close);
        drop(opened);
        self.bell.close();
        closed
    }

    fn commit(&self, batch: &mut VecDeque<Box<dyn Operation>>) -> Result<()> {
        let told = |events| self.bell.ring(events);
        batch::commit(&self.opened, &self.options, &self.space, batch, told)
    }

    /// Makes the store usable again after it failed, with the room of the ballast if it needs that.
    fn recover(&self) {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        let full = opened.as_ref().is_ok_and(|opened| opened.deferred.ran_full());
        drop(opened);
        let first = full && self.space.ran_out();
        self.reopen();
        if first && self.commit(&mut VecDeque::new()).is_err() {
            // There is still no room: it is told with the first commit that there is room for.
            self.reopen();
        }
    }

    /// Opens the file again after it failed. If that fails too, so does everything from here on.
    fn reopen(&self) {
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        if opened.is_ok() {
            // The file is closed before it is opened.
            *opened = Err(Error::failed("it could not be opened again"));
            *opened = Opened::open(&self.place, &self.options);
            let failed = opened.is_err();
            drop(opened);
            if failed {
                self.bell.call();
            }
        }
    }

    /// What is queued, up to a batch; none once the store is closing and the queue is empty.
    fn take(&self) -> Option<VecDeque<Box<dyn Operation>>> {
        let idle = |queue: &mut Queue| queue.operations.is_empty() && !queue.closing;
        let queue = self.filled.wait_while(self.lock(), idle);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        let many = queue.operations.len().min(BATCH);
        let batch: VecDeque<_> = queue.operations.drain(..many).collect();
        drop(queue);
        self.drained.notify_all();
        (!batch.is_empty()).then_some(batch)
    }
}
