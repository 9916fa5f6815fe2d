use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{Error, Result};
use super::key::Key;

/// A table: its name in the file, the type of its keys, the type of its records.
#[derive(Debug)]
pub struct Table<K, V> {
    name: &'static str,
    types: PhantomData<fn(K) -> V>,
}

impl<K, V> Clone for Table<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Table<K, V> {}

impl<K: Key, V: Record> Table<K, V> {
    /// The table of this name, such as `git/workspaces`: the crate, then what its rows are.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, types: PhantomData }
    }

    /// The name in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }
}

/// What a table holds: on disk a version byte, then JSON. Unknown fields are ignored, so a field
/// may be added without a new version if an older build may lose it.
pub trait Record: Serialize + DeserializeOwned {
    /// The version this build writes, and the highest it reads.
    const VERSION: u8 = 1;
}

impl Record for () {}
impl Record for crate::id::ProjectId {}
impl Record for crate::id::WorkspaceId {}
impl Record for crate::project::Project {}
impl Record for crate::workspace::Workspace {}

/// The bytes of what is written as a `V` is.
pub(super) fn encode<V: Record>(record: &impl Serialize) -> Result<Vec<u8>> {
    // Most records fit, so that they are written without growing.
    let mut bytes = Vec::with_capacity(512);
    bytes.push(V::VERSION);
    serde_json::to_writer(&mut bytes, record).map_err(Error::internal)?;
    Ok(bytes)
}

pub(super) fn decode<V: Record>(table: &'static str, bytes: &[u8]) -> Result<V> {
    match bytes.split_first() {
        Some((&version, _)) if version > V::VERSION => {
            Err(Error::RecordNewer { table, found: version, known: V::VERSION })
        }
        Some((_, json)) => serde_json::from_slice(json)
            .map_err(|source| Error::RecordUnreadable { table, why: source.to_string() }),
        None => Err(Error::RecordUnreadable { table, why: "it is empty".to_owned() }),
    }
}
