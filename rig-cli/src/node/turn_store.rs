use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rig_core::cancel::Cancel;
use rig_core::clock::{Clock as _, SystemClock};
use rig_core::store::{Error, Options, ReadTx, Result, Store, Transact, Tx};
use rig_core::time::Timestamp;

/// How long a transaction waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// After how long it says that it waits.
const SILENCE: Duration = Duration::from_secs(1);

/// How often it looks whether its turn has come.
const LOOK: Duration = Duration::from_millis(2);

/// The store of a state folder, opened for one transaction at a time. Whoever holds the lock file
/// beside it may open it; the others wait for their turn.
#[derive(Debug)]
pub(crate) struct TurnStore {
    state: PathBuf,
    waiting: fn(),
}

impl TurnStore {
    /// The store of the folder `state`; `waiting` is called when a transaction has waited for a
    /// second.
    pub(crate) fn new(state: PathBuf, waiting: fn()) -> Self {
        Self { state, waiting }
    }

    /// The store's file.
    pub(crate) fn file(&self) -> PathBuf {
        self.state.join("rig.redb")
    }

    /// Lends `work` the turn to open the store's file.
    pub(crate) fn in_turn<T, E: From<Error>>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<T, E> {
        let lock = self.lock_file()?;
        self.wait(&lock)?;
        work(&self.file())
    }

    fn open(path: &Path) -> Result<Store> {
        Store::open(path, Options::default())
    }

    /// The open lock file, in a state folder that is nobody else's.
    fn lock_file(&self) -> Result<File> {
        let path = self.state.join("rig.lock");
        let open = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path)
        };
        let opened = open().or_else(|error| {
            if error.kind() != std::io::ErrorKind::NotFound {
                return Err(error);
            }
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.state)?;
            open()
        });
        opened.map_err(|error| failed(&path, &error))
    }

    fn wait(&self, lock: &File) -> Result<()> {
        let began = Instant::now();
        let mut said = false;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(error)) => return Err(failed(&self.state, &error)),
                Err(TryLockError::WouldBlock) => {}
            }
            if began.elapsed() >= PATIENCE {
                return Err(Error::Busy { path: self.file() });
            }
            if !said && began.elapsed() >= SILENCE {
                said = true;
                (self.waiting)();
            }
            let _ = Cancel::new().pause(LOOK);
        }
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::Failed { why: format!("{}: {error}", path.display()).into() }
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
        self.in_turn(|path| Self::open(path)?.write(operation))
    }

    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    fn read<T, E>(&self, look: impl FnOnce(&ReadTx) -> Result<T, E>) -> Result<T, E>
    where
        E: From<Error>,
    {
        self.in_turn(|path| Self::open(path)?.read(look))
    }
}
