use std::time::Duration;

use super::pending;
use super::rows::{Anchor, BOOT, BootRow, PLACES, Place, WALL, anchored, put_anchor};
use super::thing::Due;
use crate::clock::{Boot, Now};
use crate::store::{Read as _, Result, Tx};
use crate::time::Timestamp;

/// When something is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Once the wall clock shows this, however it got there.
    Wall(Timestamp),
    /// Once so much time has passed, whatever the wall clock shows. Where the machine does not tell
    /// one start from another, once the wall clock says so.
    Elapsed {
        /// From when on.
        now: Now,
        /// How much.
        left: Duration,
        /// What the wall clock shows then, if nobody sets it.
        due_at: Timestamp,
    },
}

/// Arms a time for a thing, in place of the one it has.
///
/// # Errors
///
/// If the store failed.
pub fn arm(tx: &Tx<'_>, due: Due, when: When) -> Result<()> {
    match tx.get(PLACES, &due)? {
        Some(old) => clear(tx, due, old)?,
        None => pending::more(tx, due.owner)?,
    }
    let place = match when {
        When::Wall(at) => Place::Wall(at),
        When::Elapsed { now: Now { wall, boot: None }, left, due_at } => {
            Place::Wall(wall.checked_add(left).unwrap_or(due_at))
        }
        When::Elapsed { now: Now { boot: Some(boot), .. }, left, due_at } => {
            saw(tx, boot)?;
            // More than there are milliseconds is never.
            let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            let ms = boot.ms.saturating_add(left);
            tx.put(BOOT, &(ms, due), &BootRow { boot: boot.id, from_ms: boot.ms, due_at })?;
            Place::Boot(ms)
        }
    };
    if let Place::Wall(at) = place {
        tx.put(WALL, &(at, due), &())?;
    }
    tx.put(PLACES, &due, &place)
}

/// Takes back the time that a thing has; answers whether it had one.
///
/// # Errors
///
/// If the store failed.
pub fn disarm(tx: &Tx<'_>, due: Due) -> Result<bool> {
    let Some(place) = tx.get(PLACES, &due)? else { return Ok(false) };
    clear(tx, due, place)?;
    tx.remove(PLACES, &due)?;
    pending::fewer(tx, due.owner)?;
    Ok(true)
}

fn clear(tx: &Tx<'_>, due: Due, place: Place) -> Result<()> {
    match place {
        Place::Boot(ms) => tx.remove(BOOT, &(ms, due))?,
        Place::Wall(at) => tx.remove(WALL, &(at, due))?,
    };
    Ok(())
}

/// Remembers a reading, so that after a restart of the machine it is known what was left by then.
fn saw(tx: &Tx<'_>, boot: Boot) -> Result<()> {
    let known = match anchored(tx)? {
        None => true,
        Some(anchor) if anchor.boot.id == boot.id => anchor.moving.is_none(),
        // Rows of another start are moved first.
        Some(_) => tx.page(BOOT, .., 1)?.is_empty(),
    };
    if known { put_anchor(tx, Some(Anchor { boot, moving: None })) } else { Ok(()) }
}
