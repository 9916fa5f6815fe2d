use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::thing::{Due, Owner};
use crate::clock::{Boot, BootId, Now};
use crate::store::{Read, Record, Result, Table, Tx};
use crate::time::Timestamp;

/// By the clock that counts from the start of the machine, in milliseconds.
pub(super) const BOOT: Table<(u64, Due), BootRow> = Table::new("core/due_boot");

/// By the wall clock.
pub(super) const WALL: Table<(Timestamp, Due), ()> = Table::new("core/due_wall");

/// Where the row of each thing is.
pub(super) const PLACES: Table<Due, Place> = Table::new("core/due");

/// How many rows each owner has.
pub(super) const PENDING: Table<Owner, u64> = Table::new("core/due_pending");

/// To which start of the machine the rows of [`BOOT`] belong: one row.
pub(super) const ANCHOR: Table<String, Anchor> = Table::new("core/due_anchor");

/// A row of [`BOOT`] on disk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BootRow {
    /// The start of the machine that its time counts from.
    pub(super) boot: BootId,
    /// When it was armed, by the same clock.
    pub(super) from_ms: u64,
    /// When it is due by the wall clock, as it stood when it was armed first.
    pub(super) due_at: Timestamp,
}

impl Record for BootRow {}

impl BootRow {
    /// How long a row that lies at `ms` has to go now. Within one start of the machine its clock
    /// tells; else the wall clock does, but never more than what was left before.
    pub(super) fn left(&self, ms: u64, now: Now, seen: Option<Boot>) -> Duration {
        match now.boot {
            Some(boot) if boot.id == self.boot => Duration::from_millis(ms.saturating_sub(boot.ms)),
            _ => {
                let seen = seen.filter(|seen| seen.id == self.boot).map_or(0, |seen| seen.ms);
                let before = ms.saturating_sub(seen.max(self.from_ms));
                self.due_at.since(now.wall).min(Duration::from_millis(before))
            }
        }
    }
}

/// Which index a thing's row is in, and its time there; on disk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Place {
    Boot(u64),
    Wall(Timestamp),
}

impl Record for Place {}

/// What is known of the clock of [`BOOT`]; on disk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Anchor {
    /// The start of the machine that the rows count from, and its last reading that was seen.
    pub(super) boot: Boot,
    /// How far the rows have been moved to another start.
    pub(super) moving: Option<Moving>,
}

impl Record for Anchor {}

/// On disk, within [`Anchor`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Moving {
    /// To which start; none if this machine does not tell.
    pub(super) to: Option<BootId>,
    /// The last key that was looked at.
    pub(super) after: (u64, Due),
}

const ONE: &str = "boot";

pub(super) fn anchored(r: &impl Read) -> Result<Option<Anchor>> {
    r.get(ANCHOR, &ONE.to_owned())
}

pub(super) fn put_anchor(tx: &Tx<'_>, anchor: Option<Anchor>) -> Result<()> {
    match anchor {
        Some(anchor) => tx.put(ANCHOR, &ONE.to_owned(), &anchor),
        None => tx.remove(ANCHOR, &ONE.to_owned()).map(drop),
    }
}

impl Anchor {
    /// Whether all rows count from the start of the machine that `now` was read in.
    pub(super) fn is(&self, now: Now) -> bool {
        self.moving.is_none() && now.boot.is_some_and(|boot| boot.id == self.boot.id)
    }
}
