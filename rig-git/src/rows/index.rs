use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rig_core::store::{Key, Record, Table, Tx};

use crate::error::Result;

/// Moves an index row from where `before` has it to where `after` does.
pub(super) fn follow<K: Key + PartialEq, V: Record>(
    tx: &Tx<'_>,
    table: Table<K, V>,
    before: Option<K>,
    after: Option<K>,
    value: &V,
) -> Result<()> {
    if before != after {
        if let Some(before) = before {
            tx.remove(table, &before)?;
        }
        if let Some(after) = after {
            tx.put(table, &after, value)?;
        }
    }
    Ok(())
}

/// A path as a key.
pub(super) fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}
