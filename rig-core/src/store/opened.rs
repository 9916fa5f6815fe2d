use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use redb::{
    Database, DatabaseError, ReadableDatabase as _, StorageBackend, StorageError, WriteTransaction,
};

use super::deferred::Deferred;
use super::error::{Error, Result};
use super::file;
use super::operation::caught;
use super::options::Options;
use super::read::ReadTx;
use super::schema;
use crate::failpoint;

/// Where a store lies, so that it can be opened again.
#[derive(Clone, Debug)]
pub(super) enum Place {
    File(PathBuf),
    Backend(Arc<dyn StorageBackend>),
}

impl Place {
    /// Where the ballast lies, if there is one.
    pub(super) fn ballast(&self, options: &Options) -> Option<PathBuf> {
        let beside = match self {
            Self::File(path) => Some(path.with_extension("ballast")),
            Self::Backend(_) => None,
        };
        options.ballast.clone().or(beside)
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Backend(_) => Path::new("the storage"),
        }
    }
}

/// An open file. Opening and reading write nothing to it.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) redb: Database,
    pub(super) deferred: Deferred,
    /// The last commit left the next opening a repair to do.
    slow: AtomicBool,
    /// Milliseconds by which the clock is behind the last commit of the opening before, until a
    /// commit tells; 0 if it is not.
    stepped: AtomicI64,
    /// Commits since somebody looked how much of the file is free.
    commits: AtomicU64,
}

/// Commits after which it pays to look again how much of the file is free.
const MUCH: u64 = 1000;

/// A clock that is this much behind, in milliseconds, is only slow.
const SLACK: i64 = 1000;

impl Opened {
    /// Opens a store of this build's schema: makes an empty storage one and migrates an older one.
    pub(super) fn open(place: &Place, options: &Options) -> Result<Self> {
        Self::open_at(place, options).map_err(|error| error.at(place.path()))
    }

    fn open_at(place: &Place, options: &Options) -> Result<Self> {
        let backend: Arc<dyn StorageBackend> = match place {
            Place::File(path) => Arc::new(file::open_or_make(path, options)?),
            Place::Backend(backend) => Arc::clone(backend),
        };
        failpoint!("store.opening");
        let deferred = Deferred::over(backend);
        let redb = start(&deferred, place.path(), options)?;
        let opened = Self {
            redb,
            deferred,
            slow: AtomicBool::new(false),
            stepped: AtomicI64::new(0),
            commits: AtomicU64::new(MUCH),
        };
        let found = schema::schema(&opened.read()?)?;
        let known = options.schema();
        match found {
            Some(found) if found > known => {
                return Err(Error::Newer { path: place.path().to_owned(), found, known });
            }
            Some(found) if found < known => {
                if let Place::File(path) = place {
                    file::keep_copy(opened.deferred.below(), path, found)?;
                    failpoint!("schema.copied");
                }
                let transaction = opened.begin()?;
                schema::migrate(&transaction, options, found)?;
                failpoint!("schema.before_commit");
                opened.commit(transaction, options)?;
            }
            Some(_) => {
                if let Some(last) = schema::last_commit(&opened.read()?)? {
                    let ms = options.clock.now().as_millis() - last.as_millis();
                    opened.stepped.store(if ms < -SLACK { ms } else { 0 }, Ordering::Relaxed);
                }
            }
            None => {
                let reader = opened.redb.begin_read().map_err(Error::storage)?;
                if reader.list_tables().map_err(Error::storage)?.next().is_some() {
                    return Err(corrupt(place.path(), "it is a database of another program"));
                }
                let transaction = opened.begin()?;
                schema::initialize(&transaction, options)?;
                opened.commit(transaction, options)?;
            }
        }
        Ok(opened)
    }

    pub(super) fn read(&self) -> Result<ReadTx> {
        Ok(ReadTx(self.redb.begin_read().map_err(Error::storage)?))
    }

    /// Begins a transaction that is going to write.
    fn begin(&self) -> Result<WriteTransaction> {
        self.deferred.release().map_err(io)?;
        self.redb.begin_write().map_err(Error::storage)
    }

    /// Commits durably.
    pub(super) fn commit(
        &self,
        mut transaction: WriteTransaction,
        options: &Options,
    ) -> Result<()> {
        let quick = self.deferred.len().map_err(io)? >= options.quick_repair_from;
        transaction.set_quick_repair(quick);
        transaction.commit().map_err(Error::storage)?;
        self.slow.store(!quick, Ordering::Relaxed);
        self.stepped.store(0, Ordering::Relaxed);
        self.commits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// By how many milliseconds the clock went back before this opening, if no commit told yet.
    pub(super) fn clock_stepped(&self) -> Option<i64> {
        Some(self.stepped.load(Ordering::Relaxed)).filter(|ms| *ms != 0)
    }

    /// Whether there were many commits since this was last asked, or it never was.
    pub(super) fn changed_much(&self) -> bool {
        let much = |commits: u64| (commits >= MUCH).then_some(0);
        self.commits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, much).is_ok()
    }

    /// Closes the file so that the next opening is fast.
    pub(super) fn close(self) -> Result<()> {
        if self.slow.load(Ordering::Relaxed) {
            let mut transaction = self.redb.begin_write().map_err(Error::storage)?;
            transaction.set_quick_repair(true);
            transaction.commit().map_err(Error::storage)?;
        }
        self.deferred.end().map_err(io)
    }
}

/// Lets redb open the storage: repair it, or make an empty database of an empty one.
pub(super) fn start(deferred: &Deferred, path: &Path, options: &Options) -> Result<Database> {
    let progress = options.progress.clone();
    // redb may panic on a file that was damaged.
    let opened = caught(|| {
        Database::builder()
            .set_cache_size(options.cache)
            .set_repair_callback(move |repair| {
                failpoint!("store.repairing");
                progress.tell(repair.progress());
            })
            .create_with_backend(deferred.clone())
    });
    let opened = opened.map_err(|panic| corrupt(path, &panic.to_string()))?;
    opened.map_err(|error| refused(path, error))
}

/// Why redb did not open the storage.
pub(super) fn refused(path: &Path, error: DatabaseError) -> Error {
    match error {
        DatabaseError::DatabaseAlreadyOpen => Error::Busy { path: path.to_owned(), holder: None },
        DatabaseError::UpgradeRequired(version) => {
            corrupt(path, &format!("its file format is version {version}"))
        }
        DatabaseError::Storage(StorageError::Corrupted(why)) => corrupt(path, &why),
        DatabaseError::Storage(StorageError::Io(error))
            if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) =>
        {
            corrupt(path, &error.to_string())
        }
        other => Error::storage(other),
    }
}

pub(super) fn corrupt(path: &Path, why: &str) -> Error {
    Error::Corrupt { path: path.to_owned(), why: why.into() }
}

#[allow(clippy::needless_pass_by_value)]
fn io(error: io::Error) -> Error {
    Error::io(&error)
}
