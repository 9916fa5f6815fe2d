use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rig_core::cancel::Cancel;
use rig_core::clock::{Clock, SystemClock};
use rig_core::store::{Error, Options, ReadTx, Result, Store, Transact, Tx};

/// How long a transaction waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// After how long it says that it waits.
const SILENCE: Duration = Duration::from_secs(1);

/// How often it looks whether its turn has come.
const LOOK: Duration = Duration::from_millis(2);

/// The store of a state folder, opened for one transaction at a time. Whoever has the lock file
/// beside it to itself may write; those who share it may read; the others wait for their turn.
#[derive(Debug)]
pub(super) struct TurnStore {
    state: PathBuf,
    waiting: fn(),
    clock: SystemClock,
}

impl TurnStore {
    /// The store of the folder `state`; `waiting` is called when a transaction has waited for a
    /// second.
    pub(super) fn new(state: PathBuf, waiting: fn()) -> Self {
        Self { state, waiting, clock: SystemClock::default() }
    }

    /// Lends `work` the store while nobody else has it.
    pub(super) fn alone<T, E: From<Error>>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut lock = self.lock_file()?;
        let path = self.file();
        // One transaction is all there will be, so the commit saves what makes opening fast.
        let options = Options { quick_repair_from: 0, ..Options::default() };
        let store =
            self.in_turn(Some(&lock), File::try_lock, || Store::open(&path, options.clone()))?;
        // It is only read by who waits, to say for whom.
        let _ = write!(lock, "{}", std::process::id()).and_then(|()| {
            let end = lock.stream_position()?;
            lock.set_len(end)
        });
        let done = work(&store)?;
        if let Err(error) = store.close() {
            // What was acknowledged is saved even so.
            tracing::warn!(%error, "the store was not closed well");
        }
        Ok(done)
    }

    fn file(&self) -> PathBuf {
        self.state.join("rig.redb")
    }

    fn lock_path(&self) -> PathBuf {
        self.state.join("rig.lock")
    }

    /// The lock file; it and its folder are for their owner alone.
    fn lock_file(&self) -> Result<File> {
        let path = self.lock_path();
        let open = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path)
        };
        let opened = open().or_else(|error| {
            if error.kind() != ErrorKind::NotFound {
                return Err(error);
            }
            DirBuilder::new().recursive(true).mode(0o700).create(&self.state)?;
            open()
        });
        opened.map_err(|error| failed(&path, &error))
    }

    /// Waits until `lock` can be taken and the store be opened.
    fn in_turn<T>(
        &self,
        lock: Option<&File>,
        take: impl Fn(&File) -> Result<(), TryLockError>,
        open: impl Fn() -> Result<T>,
    ) -> Result<T> {
        let began = Instant::now();
        let mut said = false;
        loop {
            match lock.map_or(Ok(()), &take) {
                // Whoever repairs the file to read it has it for itself, without the lock.
                Ok(()) => match open() {
                    Err(Error::Busy { .. }) => lock.map(File::unlock).transpose().ok(),
                    other => return other,
                },
                Err(TryLockError::WouldBlock) => None,
                Err(TryLockError::Error(error)) => return Err(failed(&self.lock_path(), &error)),
            };
            if began.elapsed() >= PATIENCE {
                return Err(Error::Busy { path: self.file(), holder: lock.and_then(holder) });
            }
            if !said && began.elapsed() >= SILENCE {
                said = true;
                (self.waiting)();
            }
            let _ = Cancel::new().pause(LOOK);
        }
    }
}

/// The process that last had the lock file to itself.
fn holder(mut lock: &File) -> Option<u32> {
    let mut text = String::new();
    lock.read_to_string(&mut text).ok()?;
    text.parse().ok()
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::CannotOpen { path: path.to_owned(), why: error.to_string().into() }
}

impl Transact for TurnStore {
    fn write<T, E>(
        &self,
        operation: impl Fn(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.alone(|store| store.write(operation))
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn read<T, E>(&self, look: impl FnOnce(&ReadTx) -> Result<T, E>) -> Result<T, E>
    where
        E: From<Error>,
    {
        let shared = match File::open(self.lock_path()) {
            Ok(file) => Some(file),
            // Where nobody has ever written there is nothing to wait for.
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(&self.lock_path(), &error).into()),
        };
        let path = self.file();
        let store = self.in_turn(shared.as_ref(), File::try_lock_shared, || {
            Store::open_read_only(&path, &Options::default())
        })?;
        store.read(look)
    }
}
