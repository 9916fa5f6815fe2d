use redb::WriteTransaction;

use super::Read;
use super::error::{Error, Result};
use super::options::Options;
use super::table::{Record, Table};
use super::tx::Tx;
use crate::time::Timestamp;

/// What the store knows of itself: each key has a type of its own.
pub(super) const META: Table<String, serde_json::Value> = Table::new("meta");
const SCHEMA: (Table<String, u64>, &str) = (Table::new(META.name()), "schema");
const STORE: (Table<String, String>, &str) = (Table::new(META.name()), "store");
const CLOCK: (Table<String, Timestamp>, &str) = (Table::new(META.name()), "clock");
const LOW_SPACE: (Table<String, bool>, &str) = (Table::new(META.name()), "low_space");
const PRUNED: (Table<String, u64>, &str) = (Table::new(META.name()), "pruned");

impl Record for serde_json::Value {}
impl Record for bool {}
impl Record for u64 {}
impl Record for String {}
impl Record for Timestamp {}

fn get<V: Record>(r: &impl Read, (table, key): (Table<String, V>, &str)) -> Result<Option<V>> {
    r.get(table, &key.to_owned())
}

fn put<V: Record>(tx: &Tx<'_>, (table, key): (Table<String, V>, &str), value: &V) -> Result<()> {
    tx.put(table, &key.to_owned(), value)
}

/// The schema of the file; none if it never was a store of ours.
pub(super) fn schema(r: &impl Read) -> Result<Option<u64>> {
    get(r, SCHEMA)
}

/// 32 hexadecimal digits that no other store has.
pub(super) fn store_id(r: &impl Read) -> Result<String> {
    get(r, STORE)?.ok_or_else(|| Error::internal("the store has no ID"))
}

/// The time of the last commit.
pub(super) fn last_commit(r: &impl Read) -> Result<Option<Timestamp>> {
    get(r, CLOCK)
}

/// Stores the time of the commit that `tx` will be.
pub(super) fn stamp(tx: &Tx<'_>) -> Result<()> {
    put(tx, CLOCK, &tx.now())
}

/// The number of the last event that was pruned, or 0.
pub(super) fn pruned(r: &impl Read) -> Result<u64> {
    Ok(get(r, PRUNED)?.unwrap_or(0))
}

pub(super) fn set_pruned(tx: &Tx<'_>, number: u64) -> Result<()> {
    put(tx, PRUNED, &number)
}

/// Whether the disk ran full, and nobody saw room since.
pub(super) fn space_low(r: &impl Read) -> Result<bool> {
    Ok(get(r, LOW_SPACE)?.unwrap_or(false))
}

pub(super) fn set_space_low(tx: &Tx<'_>) -> Result<()> {
    put(tx, LOW_SPACE, &true)
}

pub(super) fn forget_space_low(tx: &Tx<'_>) -> Result<()> {
    let (table, key) = LOW_SPACE;
    tx.remove(table, &key.to_owned()).map(drop)
}

/// Makes an empty store of the schema that this build writes.
pub(super) fn initialize(redb: &WriteTransaction, options: &Options) -> Result<()> {
    let tx = Tx::new(redb, options.clock.now(), None);
    put(&tx, SCHEMA, &options.schema())?;
    put(&tx, STORE, &format!("{:032x}", u128::from_ne_bytes(random()?)))?;
    stamp(&tx)
}

/// Turns the records of schema `from` into those that this build writes.
pub(super) fn migrate(redb: &WriteTransaction, options: &Options, from: u64) -> Result<()> {
    let tx = Tx::new(redb, options.clock.now(), None);
    let done = usize::try_from(from.saturating_sub(1)).map_err(Error::internal)?;
    for change in options.migrations.iter().skip(done) {
        change(&tx)?;
    }
    put(&tx, SCHEMA, &options.schema())?;
    stamp(&tx)
}

fn random() -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(Error::failed)?;
    Ok(bytes)
}
