//! The tables of projects and workspaces, and the index rows that go with each record.

mod agree;
mod projects;
mod workspaces;

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rig_core::store::{Key, Record, Table, Tx};

pub use agree::{TABLES, agree};
pub(crate) use projects::{
    PROJECTS, project, project_at, project_keyed, project_named, projects, put_project,
};
pub(crate) use workspaces::{
    WORKSPACES, branch_holder, due, key_holder, name_holder, places, put, workspace, workspace_at,
    workspaces,
};

use crate::error::Result;

/// Moves an index row from where `before` has it to where `after` does.
fn follow<K: Key + PartialEq, V: Record>(
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

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}
