use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

use super::ballast::Ballast;
use super::error::{Error, Result};
use super::live::Store;
use super::options::Options;
use super::read::Read;
use super::schema;
use super::transact::Transact as _;
use super::tx::Tx;

/// Free bytes from which on the ballast is written.
const ROOM: u64 = 16 << 20;

/// Whether there is room to make new things.
///
/// That space was low is in the file too, so that the next process, if it finds no more room, knows.
#[derive(Debug)]
pub(super) struct Space {
    /// None for a storage whose owner named no place for it: then space is never low.
    ballast: Option<Ballast>,
    low: AtomicBool,
    /// An event is to be written.
    untold: AtomicBool,
    /// The file says that space is low.
    stored: AtomicBool,
    /// Held by whoever writes or deletes the ballast.
    turn: Mutex<()>,
}

impl Space {
    pub(super) fn new(ballast: Option<Ballast>) -> Self {
        Self {
            ballast,
            low: AtomicBool::new(false),
            untold: AtomicBool::new(false),
            stored: AtomicBool::new(false),
            turn: Mutex::new(()),
        }
    }

    /// Why nothing new may be made, if that is so.
    pub(super) fn refusal(&self) -> Option<Arc<str>> {
        let ballast = self.ballast.as_ref().filter(|_| self.is_low())?;
        let folder = ballast.folder().display();
        Some(format!("{folder}: new things have to wait until 16 MiB are free").into())
    }

    /// Reads what the last process left.
    pub(super) fn read(&self, r: &impl Read, options: &Options) -> Result<()> {
        let Some(ballast) = &self.ballast else { return Ok(()) };
        if schema::space_low(r)? {
            self.stored.store(true, Ordering::SeqCst);
            // Where that cannot be told, a commit shows it.
            let free = options.free_space.below(ballast.folder()).unwrap_or(ROOM);
            self.low.store(free < ROOM, Ordering::SeqCst);
        }
        Ok(())
    }

    pub(super) fn is_low(&self) -> bool {
        self.low.load(Ordering::SeqCst)
    }

    /// There was no room for a commit: from here on what must go on has that of the ballast.
    pub(super) fn ran_out(&self) -> bool {
        let Some(ballast) = &self.ballast else { return false };
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // If it cannot be deleted, there is as little room as without it.
        let _ = ballast.delete();
        let first = !self.low.swap(true, Ordering::SeqCst);
        if first {
            self.untold.store(true, Ordering::SeqCst);
        }
        first
    }

    /// Whether there is something to be told.
    pub(super) fn has_news(&self) -> bool {
        self.untold.load(Ordering::SeqCst)
    }

    /// Writes what is to be told, in the transaction that commits next.
    pub(super) fn tell(&self, tx: &Tx<'_>) -> Result<()> {
        if self.has_news() {
            tx.event("store.low_space", &[], None, &json!({}))?;
            schema::set_space_low(tx)?;
        }
        Ok(())
    }

    /// A transaction with what was to be told is saved.
    pub(super) fn told(&self) {
        if self.untold.swap(false, Ordering::SeqCst) {
            self.stored.store(true, Ordering::SeqCst);
        }
    }

    /// Writes the ballast if it is missing and there is room for it.
    fn look(&self, options: &Options) -> Result<()> {
        let Some(ballast) = &self.ballast else { return Ok(()) };
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if ballast.is_there() && !self.is_low() {
            return Ok(());
        }
        let io = |error| Error::io(&error);
        if options.free_space.below(ballast.folder()).map_err(io)? >= ROOM {
            if !ballast.is_there() {
                ballast.write().map_err(io)?;
            }
            self.low.store(false, Ordering::SeqCst);
        }
        Ok(())
    }
}

impl Store {
    /// Keeps 8 MiB aside, in a file beside the store's, for the day when the disk is full; for a
    /// process that stays to call every now and then. It writes that file once 16 MiB are free, and
    /// then space is no longer low.
    ///
    /// # Errors
    ///
    /// If the system does not tell how much room there is, or the file cannot be written. Nothing is
    /// lost; space is as low as it was.
    pub fn look_at_space(&self) -> Result<()> {
        let (space, options) = (self.space(), self.options());
        space.look(options)?;
        if !space.is_low() && space.stored.load(Ordering::SeqCst) {
            self.write(schema::forget_space_low)?;
            space.stored.store(false, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Whether the disk ran full and there is no room yet to make new things.
    #[must_use]
    pub fn low_space(&self) -> bool {
        self.space().is_low()
    }
}
