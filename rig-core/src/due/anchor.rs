use std::ops::Bound::{Excluded, Unbounded};

use super::arm::{When, arm};
use super::rows::{Anchor, BOOT, Moving, anchored, put_anchor};
use crate::clock::Now;
use crate::store::{Error, Key as _, Read as _, Result, Tx};

/// Moves elapsed times that are measured from an earlier start of the machine to the present one;
/// answers whether there is more to do. It looks at most at `limit` rows, so that a million of them
/// are no single transaction, and goes on where it stopped.
///
/// The wall clock tells once what is left: nothing if the time has passed, and never more than was
/// left before. From then on the clock of the present start measures that. Where a machine does not
/// tell one start from another, what is left is measured by the wall clock.
///
/// # Errors
///
/// If the store failed.
pub fn anchor(tx: &Tx<'_>, now: Now, limit: usize) -> Result<bool> {
    let Some(anchor) = anchored(tx)?.filter(|anchor| !anchor.is(now)) else { return Ok(false) };
    let here = now.boot.map(|boot| boot.id);
    let after = anchor.moving.filter(|moving| moving.to == here).map(|moving| moving.after);
    let from = after.map(|after| after.encoded());
    let from = from.as_deref().map_or(Unbounded, Excluded);
    let rows = tx.raw_page(BOOT.name(), (from, Unbounded), limit, false)?;
    if rows.is_empty() && anchor.moving.is_none() {
        // Nothing is measured from any start: the next to be armed tells from which.
        return Ok(false);
    }
    let mut last = after;
    for (key, _) in &rows {
        let Some(key) = <(u64, _)>::decode(&mut key.as_slice()) else { continue };
        last = Some(key);
        let (ms, due) = key;
        match tx.get(BOOT, &key) {
            Ok(Some(row)) if Some(row.boot) != here => {
                let left = row.left(ms, now, Some(anchor.boot));
                arm(tx, due, When::Elapsed { now, left, due_at: row.due_at })?;
            }
            Err(Error::RecordUnreadable { .. }) => drop(tx.quarantine(BOOT, &key)?),
            Ok(_) | Err(Error::RecordNewer { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    let left = last.filter(|_| rows.len() == limit);
    let anchor = if let Some(after) = left {
        Some(Anchor { moving: Some(Moving { to: here, after }), ..anchor })
    } else {
        now.boot.map(|boot| Anchor { boot, moving: None })
    };
    put_anchor(tx, anchor)?;
    crate::failpoint!("boot.anchoring");
    Ok(left.is_some())
}
