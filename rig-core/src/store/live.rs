use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use redb::StorageBackend;

use super::error::{Error, Result};
use super::opened::{Opened, Place};
use super::operation::Told;
use super::options::Options;
use super::read::ReadTx;
use super::space::Space;
use super::subscription::{Listening, Subscription};
use super::transact::Transact;
use super::tx::Tx;
use super::writer::Writer;
use crate::clock::Clock;

/// The store: one file, one writer. Writes of several callers that meet are committed together.
///
/// Opening, reading and closing write nothing of their own; a commit is one sync, or two for a
/// file past [`Options::quick_repair_from`]. Dropping the store closes it.
#[derive(Debug)]
pub struct Store {
    writer: Writer,
}

impl Store {
    /// Opens the store in this file, which then belongs to this process. If it is not there, it
    /// is made, whole, with its folder; both are for their owner alone.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] at once if another process has it open; [`Error::Corrupt`] or
    /// [`Error::Newer`] if it is no store that this build can read, and then it is left as it is;
    /// [`Error::Failed`] or [`Error::DiskFull`] if the system failed.
    pub fn open(path: &Path, options: Options) -> Result<Self> {
        Ok(Self { writer: Writer::start(Place::File(path.to_owned()), options)? })
    }

    /// Opens the store in a storage of the caller's, and makes one of an empty storage.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn open_on(backend: impl StorageBackend, options: Options) -> Result<Self> {
        Ok(Self { writer: Writer::start(Place::Backend(Arc::new(backend)), options)? })
    }

    /// How many operations are queued for a commit to come.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.writer.queued()
    }

    /// Tells from here on when there are new events.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        Subscription::to(self.writer.bell())
    }

    /// Calls `told` after each commit that appended events, when the store failed for good and when
    /// it is closed, until what this returns is dropped. It is called on the store's own thread,
    /// with no lock held, and only wakes somebody who then looks.
    pub fn on_events(&self, told: impl Fn() + Send + Sync + 'static) -> Listening {
        Listening::to(self.writer.bell(), Arc::new(told))
    }

    /// Does the same as [`Transact::write`], but returns at once; `done` is told what that would
    /// have returned, exactly once. It is called on the store's own thread, so it only passes on
    /// what it was told, and never writes. If 1024 operations are queued this blocks until there is
    /// room; whoever must not block has fewer than that under way.
    pub fn write_then<T, E>(
        &self,
        operation: impl Fn(&Tx<'_>) -> Result<T, E> + Send + 'static,
        done: impl FnOnce(Result<T, E>) + Send + 'static,
    ) where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.writer.queue(Box::new(Told::new(operation, done)));
    }

    /// Why nothing can be done with this store any more: its file failed, and could not be opened
    /// again. A store that was closed did not fail.
    #[must_use]
    pub fn failed(&self) -> Option<Error> {
        self.writer.with(|_| Ok(())).err().filter(|error| !matches!(error, Error::Closed))
    }

    pub(super) fn options(&self) -> &Options {
        self.writer.options()
    }

    pub(super) fn space(&self) -> &Space {
        self.writer.space()
    }

    /// Lends the open file.
    pub(super) fn lend<T>(&self, look: impl FnOnce(&Opened) -> Result<T>) -> Result<T> {
        self.writer.with(look)
    }

    /// Lends the open file while nobody else uses it.
    pub(super) fn alone<T>(&self, work: impl FnOnce(&mut Opened) -> Result<T>) -> Result<T> {
        self.writer.alone(work)
    }

    /// Refuses what comes from now on with [`Error::Closed`], finishes what is queued and closes the
    /// file. Closing a closed store does nothing.
    ///
    /// # Errors
    ///
    /// If closing failed. Everything acknowledged is saved even so.
    pub fn close(&self) -> Result<()> {
        self.writer.finish()
    }
}

impl Transact for Store {
    fn write<T, E>(
        &self,
        operation: impl Fn(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (caller, answer) = sync_channel(1);
        self.write_then(operation, move |answer| {
            // The caller waits, and there is room for its one answer.
            let _ = caller.try_send(answer);
        });
        answer.recv().unwrap_or_else(|_| Err(Error::internal("the store's writer is gone").into()))
    }

    fn clock(&self) -> &dyn Clock {
        self.writer.options().clock.as_ref()
    }

    fn read<T, E>(&self, look: impl FnOnce(&ReadTx) -> Result<T, E>) -> Result<T, E>
    where
        E: From<Error>,
    {
        // The transaction ends before the file is lent to somebody who wants it alone.
        self.writer.with(|opened| Ok(look(&opened.read()?)))?
    }
}
