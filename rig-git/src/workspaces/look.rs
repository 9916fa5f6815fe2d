use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::PathBuf;

use rig_core::project::Folder;
use rig_core::store::Transact;
use rig_core::workspace::{Checkout, SeenHead, Workspace};

use crate::error::Result;
use crate::machine::Machine;
use crate::repository::{Head, Repository};
use crate::{events, rows};

/// What is seen of a workspace in its folder right now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The branch that HEAD is on; none if detached or not readable.
    pub current_branch: Option<String>,
    /// Whether HEAD is detached.
    pub detached: bool,
    /// Whether the folder is there.
    pub folder: Folder,
}

/// Looks at the folders of workspaces, in their order.
#[must_use]
pub fn look(machine: &Machine, workspaces: &[Workspace]) -> Vec<Look> {
    let mut heads: HashMap<PathBuf, HashMap<PathBuf, Head>> = HashMap::new();
    workspaces
        .iter()
        .map(|row| {
            let folder = match std::fs::symlink_metadata(&row.path) {
                Ok(meta) if meta.is_dir() => Folder::Present,
                Ok(_) => Folder::Missing,
                Err(error) if error.kind() == ErrorKind::NotFound => Folder::Missing,
                Err(_) => Folder::Unknown,
            };
            let mut head_of = || {
                // One folder that is no worktree any more does not hide the others' HEADs.
                if !heads.contains_key(&*row.common_dir)
                    && let Some(found) = heads_of(machine, row)
                {
                    heads.insert(row.common_dir.to_path_buf(), found);
                }
                heads.get(&*row.common_dir)?.get(&*row.path).cloned()
            };
            let head = if folder == Folder::Present { head_of() } else { None };
            Look {
                detached: head.as_ref().is_some_and(|head| head.branch.is_none()),
                current_branch: head.and_then(|head| head.branch),
                folder,
            }
        })
        .collect()
}

/// HEAD of every worktree of the workspace's repository, by path; those that cannot be read are
/// left out. None if the workspace's folder is no worktree of it.
fn heads_of(machine: &Machine, row: &Workspace) -> Option<HashMap<PathBuf, Head>> {
    let repository = Repository::open(&machine.git, &row.path).ok().flatten()?;
    let is_recorded = repository.common_dir() == &*row.common_dir;
    let entries = is_recorded.then(|| repository.worktrees().ok()).flatten()?;
    Some(entries.into_iter().filter_map(|entry| Some((entry.path, entry.head?))).collect())
}

/// Keeps what was seen where it is new: HEAD of a ready workspace on another branch than before is
/// `workspace.branch_changed`. If the recorded branch is gone and HEAD is on one that no row holds,
/// that one is recorded.
///
/// # Errors
///
/// If the store failed.
pub fn keep_seen(
    store: &impl Transact,
    machine: &Machine,
    seen: &[(Workspace, Look)],
) -> Result<()> {
    for (row, look) in seen {
        let known = look.current_branch.is_some() || look.detached;
        let recorded = Some(row.actual_branch.as_ref().unwrap_or(&row.branch).as_str());
        let last = row.seen.as_ref().map_or(recorded, |seen| seen.branch.as_deref());
        let current = look.current_branch.as_deref();
        if !known || row.checkout != Checkout::Done || (last == current && current == recorded) {
            continue;
        }
        let gone = current.is_some() && is_gone(machine, row);
        if last == current && !gone {
            continue;
        }
        let (id, branch) = (row.id, look.current_branch.clone());
        store.write(move |tx| {
            let mut row = rows::workspace(tx, id)?;
            if row.status.is_archived() || row.actual_branch.is_some() {
                return Ok(());
            }
            let before = row.clone();
            match &branch {
                Some(branch) if *branch == row.branch => row.seen = None,
                Some(branch) if gone && rows::branch_holder(tx, row.project, branch)?.is_none() => {
                    row.branch.clone_from(branch);
                    row.seen = None;
                }
                _ => row.seen = Some(SeenHead { branch: branch.clone() }),
            }
            if row == before {
                return Ok(());
            }
            row.changed();
            rows::put(tx, &row)?;
            events::workspace(tx, "workspace.branch_changed", &row)
        })?;
    }
    Ok(())
}

/// Whether the recorded branch is proven gone.
fn is_gone(machine: &Machine, row: &Workspace) -> bool {
    let repository = Repository::open(&machine.git, &row.path).ok().flatten();
    let name = format!("refs/heads/{}", row.branch);
    repository.is_some_and(|repository| matches!(repository.reference(&name), Ok(None)))
}
