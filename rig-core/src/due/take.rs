use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::time::Duration;

use super::rows::{BOOT, PLACES, Place, WALL, anchored};
use super::thing::{Due, Owner};
use crate::clock::Now;
use crate::store::{Key, Read, Record, Result, Table};
use crate::time::Timestamp;

/// Rows that are looked at together.
const PAGE: usize = 128;

/// What is due.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The things, in the order in which they are to be settled.
    pub rows: Vec<Due>,
    /// Whether more are due.
    pub left: bool,
}

/// At most `limit` things that are due: elapsed times first, each kind in the order (due, ID). Only
/// those that `mine` says yes to count; the others stay, and what lies behind them is found.
///
/// Elapsed times from an earlier start of the machine are not due before they are [anchored].
///
/// [anchored]: super::anchor
///
/// # Errors
///
/// If the store failed, or `mine` did.
pub fn taken(
    r: &impl Read,
    now: Now,
    limit: usize,
    mut mine: impl FnMut(&Due) -> Result<bool>,
) -> Result<Taken> {
    let mut taken = Taken::default();
    let mut take = |due: &Due| {
        if !mine(due)? {
            return Ok(true);
        }
        taken.left = taken.rows.len() == limit;
        if !taken.left {
            taken.rows.push(*due);
        }
        Ok(!taken.left)
    };
    let mut more = true;
    if let Some(boot) = now.boot
        && anchored(r)?.is_some_and(|anchor| anchor.is(now))
    {
        more = each(r, BOOT, Included(&(boot.ms, LAST)), |(_, due)| take(due))?;
    }
    if more {
        each(r, WALL, Included(&(now.wall, LAST)), |(_, due)| take(due))?;
    }
    Ok(taken)
}

/// How long it is until the first thing is due that `mine` says yes to: zero if one is due, or
/// elapsed times have yet to be anchored; none if nothing is armed.
///
/// # Errors
///
/// If the store failed, or `mine` did.
pub fn next(
    r: &impl Read,
    now: Now,
    mut mine: impl FnMut(&Due) -> Result<bool>,
) -> Result<Option<Duration>> {
    let mut first: Option<Duration> = None;
    let mut wall = |at: Timestamp, due: &Due| {
        let found = mine(due)?;
        if found {
            first = Some(at.since(now.wall));
        }
        Ok(!found)
    };
    each(r, WALL, Unbounded, |(at, due)| wall(*at, due))?;
    let anchored = anchored(r)?.is_some_and(|anchor| anchor.is(now));
    each(r, BOOT, Unbounded, |(ms, due)| {
        let left = now.boot.filter(|_| anchored).map_or(0, |boot| ms.saturating_sub(boot.ms));
        let left = Duration::from_millis(left);
        let found = !anchored || mine(due)?;
        if found {
            first = Some(first.map_or(left, |first| first.min(left)));
        }
        Ok(!found)
    })?;
    Ok(first)
}

/// Whether a time is armed for a thing.
///
/// # Errors
///
/// If the store failed.
pub fn is_armed(r: &impl Read, due: Due) -> Result<bool> {
    Ok(r.get(PLACES, &due)?.is_some())
}

/// Whether the time that is armed for a thing has come; not if none is.
///
/// # Errors
///
/// If the store failed.
pub fn is_due(r: &impl Read, due: Due, now: Now) -> Result<bool> {
    Ok(match r.get(PLACES, &due)? {
        None => false,
        Some(Place::Wall(at)) => at <= now.wall,
        Some(Place::Boot(ms)) => match r.get(BOOT, &(ms, due))? {
            Some(row) => {
                let seen = anchored(r)?.map(|anchor| anchor.boot);
                row.left(ms, now, seen).is_zero()
            }
            None => false,
        },
    })
}

/// Sorts behind every other thing.
const LAST: Due = Due::new(Owner::LAST, u128::MAX);

/// Calls `with` for the keys of a table up to a bound, until it answers that it has enough; answers
/// whether it never did. Only keys are read, so that a row that is damaged stops nobody.
pub(super) fn each<K: Key, V: Record>(
    r: &impl Read,
    table: Table<K, V>,
    to: Bound<&K>,
    mut with: impl FnMut(&K) -> Result<bool>,
) -> Result<bool> {
    let to = to.map(Key::encoded);
    let mut after: Option<Vec<u8>> = None;
    // One row is enough most of the time.
    let mut limit = 1;
    loop {
        let from = after.as_deref().map_or(Unbounded, Excluded);
        let rows =
            r.raw_page(table.name(), (from, to.as_ref().map(Vec::as_slice)), limit, false)?;
        for (key, _) in &rows {
            if let Some(key) = K::decode(&mut key.as_slice())
                && !with(&key)?
            {
                return Ok(false);
            }
        }
        if rows.len() < limit {
            return Ok(true);
        }
        after = rows.into_iter().next_back().map(|(key, _)| key);
        limit = PAGE;
    }
}
