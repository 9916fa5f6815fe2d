use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use redb::{BackendError, StorageBackend};

use super::error::is_full;
use super::overlay::Overlay;

/// Where redb's header has its flags, and the one that says that recovery is needed.
const FLAGS: usize = 9;
const RECOVERY: u8 = 2;

/// The storage beneath redb, with what redb writes at opening and closing kept back.
///
/// redb marks a file as open with a sync of its own, and takes three or four syncs to close it. A
/// store that is opened for one short transaction would pay more for these than for its commit,
/// and one that only reads would write. So:
///
/// - Until the first write of an operation everything redb writes is *held* in memory: the mark,
///   and what it recovered if the last owner died. A store that only reads leaves no trace.
/// - [`Deferred::release`] writes it to the file. What a recovery relied on and made is synced
///   before anything builds on it; the bare mark is synced by the commit that follows, or before
///   the file's length changes.
/// - [`Deferred::end`] takes the mark away, without a sync, if everything is synced, and holds
///   what redb writes after that. If that last write is lost, the next opening recovers.
///
/// So a file without the mark was synced as a whole by its last owner.
#[derive(Clone, Debug)]
pub(super) struct Deferred(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    below: Arc<dyn StorageBackend>,
    full: AtomicBool,
    state: RwLock<State>,
}

#[derive(Debug)]
enum State {
    /// redb has not taken its lock yet, so that the file may still change.
    Unread,
    Held(Overlay),
    Released(Released),
}

#[derive(Debug)]
struct Released {
    /// The flags as they were last written.
    flags: AtomicU8,
    /// The mark is synced.
    marked: AtomicBool,
    /// Writes so far, and how many of them are synced.
    writes: AtomicU64,
    synced: AtomicU64,
}

impl Released {
    fn sync(&self, inner: &Inner) -> io::Result<()> {
        let writes = self.writes.load(Ordering::SeqCst);
        inner.sync()?;
        self.synced.store(writes, Ordering::SeqCst);
        self.marked.store(true, Ordering::SeqCst);
        Ok(())
    }
}

impl Inner {
    /// Syncs what was written, which takes as long as a build with failpoints wants it to.
    fn sync(&self) -> io::Result<()> {
        #[cfg(feature = "failpoints")]
        crate::failpoint::sync();
        let synced = self.noticed(self.below.sync_data());
        // Without room for a write nothing of a commit is saved; if a sync finds that there was
        // none, nobody knows what is.
        match synced {
            Err(error) if is_full(&error) => {
                Err(io::Error::other(format!("{error}, as a sync found out")))
            }
            synced => synced,
        }
    }

    /// Keeps in mind that there was no room.
    fn noticed<T>(&self, done: io::Result<T>) -> io::Result<T> {
        if done.as_ref().is_err_and(is_full) {
            self.full.store(true, Ordering::SeqCst);
        }
        done
    }
}

impl Deferred {
    pub(super) fn over(below: Arc<dyn StorageBackend>) -> Self {
        Self(Arc::new(Inner {
            below,
            full: AtomicBool::new(false),
            state: RwLock::new(State::Unread),
        }))
    }

    /// Whether there was no room for something.
    pub(super) fn ran_full(&self) -> bool {
        self.0.full.load(Ordering::SeqCst)
    }

    /// The storage as it is without what is held.
    pub(super) fn below(&self) -> &dyn StorageBackend {
        &*self.0.below
    }

    /// Writes what is held, and from here on what redb writes.
    pub(super) fn release(&self) -> io::Result<()> {
        if matches!(*self.read_state(), State::Released(_)) {
            return Ok(());
        }
        let mut state = self.write_state();
        let State::Held(overlay) = &mut *state else { return Ok(()) };
        // A file that was left well is only marked, in one write. Anything more is a recovery.
        let marked = overlay.syncs > 1 || !overlay.same_length();
        let written = if marked { self.recovered(overlay) } else { self.apply(overlay) };
        let flags = self.0.noticed(written)?;
        *state = State::Released(Released {
            flags: AtomicU8::new(flags),
            marked: AtomicBool::new(marked),
            writes: AtomicU64::new(1),
            synced: AtomicU64::new(u64::from(marked)),
        });
        Ok(())
    }

    /// Writes what is held, all of it, as a file that was left well. It is for a file that nobody
    /// knows yet, and synced once.
    pub(super) fn write_whole(&self) -> io::Result<()> {
        let mut state = self.write_state();
        let State::Held(overlay) = &mut *state else { return Ok(()) };
        if let Some(first) = overlay.first() {
            first[FLAGS] &= !RECOVERY;
        }
        self.apply(overlay)?;
        self.0.sync()
    }

    fn apply(&self, overlay: &mut Overlay) -> io::Result<u8> {
        overlay.apply_rest(self.below())?;
        let Some(first) = overlay.first() else { return Ok(0) };
        self.below().write(0, first)?;
        Ok(first[FLAGS])
    }

    /// Writes what a recovery made: first what it relied on, then what it wrote, then a header
    /// that does not use that yet, and last the flags, which do.
    fn recovered(&self, overlay: &mut Overlay) -> io::Result<u8> {
        let below = self.below();
        self.0.sync()?;
        overlay.apply_rest(below)?;
        self.0.sync()?;
        let Some(first) = overlay.first() else { return Ok(0) };
        let mut old = [0];
        below.read(FLAGS as u64, &mut old)?;
        let new = std::mem::replace(&mut first[FLAGS], old[0] | RECOVERY);
        below.write(0, first)?;
        self.0.sync()?;
        first[FLAGS] = new;
        below.write(FLAGS as u64, &[new])?;
        self.0.sync()?;
        Ok(new)
    }

    /// Leaves the file well, if it is, and holds what redb writes from here on.
    pub(super) fn end(&self) -> io::Result<()> {
        let mut state = self.write_state();
        if let State::Released(released) = &*state {
            let flags = released.flags.load(Ordering::SeqCst);
            let synced = released.synced.load(Ordering::SeqCst);
            if synced == released.writes.load(Ordering::SeqCst) && flags & RECOVERY != 0 {
                self.below().write(FLAGS as u64, &[flags & !RECOVERY])?;
            }
            *state = State::Held(Overlay::over(self.below())?);
        }
        Ok(())
    }

    fn read_state(&self) -> RwLockReadGuard<'_, State> {
        self.0.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_state(&self) -> RwLockWriteGuard<'_, State> {
        self.0.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StorageBackend for Deferred {
    fn len(&self) -> io::Result<u64> {
        if let State::Held(overlay) = &*self.read_state() {
            return Ok(overlay.len());
        }
        let mut state = self.write_state();
        if matches!(*state, State::Unread) {
            *state = State::Held(Overlay::over(self.below())?);
        }
        self.below().len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match &*self.read_state() {
            State::Held(overlay) => overlay.read(self.below(), offset, out),
            State::Unread | State::Released(_) => self.below().read(offset, out),
        }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if let State::Released(released) = &*self.read_state() {
            // Without the mark redb trusts the length that its header tells.
            if !released.marked.load(Ordering::SeqCst) {
                released.sync(&self.0)?;
            }
            released.writes.fetch_add(1, Ordering::SeqCst);
            return self.0.noticed(self.below().set_len(len));
        }
        match &mut *self.write_state() {
            State::Held(overlay) => overlay.set_len(len),
            State::Unread | State::Released(_) => return Err(io::ErrorKind::Unsupported.into()),
        }
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        if let State::Released(released) = &*self.read_state() {
            return released.sync(&self.0);
        }
        if let State::Held(overlay) = &mut *self.write_state() {
            overlay.syncs += 1;
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if let State::Released(released) = &*self.read_state() {
            released.writes.fetch_add(1, Ordering::SeqCst);
            if let (0, Some(flags)) = (offset, data.get(FLAGS)) {
                released.flags.store(*flags, Ordering::SeqCst);
            }
            return self.0.noticed(self.below().write(offset, data));
        }
        match &mut *self.write_state() {
            State::Held(overlay) => overlay.write(self.below(), offset, data),
            State::Unread | State::Released(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn close(&self) -> io::Result<()> {
        self.below().close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.below().try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.below().try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.below().lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.below().lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.below().unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.below().query_lock_range(start, end)
    }
}
