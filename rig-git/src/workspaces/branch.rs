//! The branch follows the name: git's branch becomes the one that the last rename wanted.

use rig_core::cancel::Cancel;
use rig_core::id::WorkspaceId;
use rig_core::store::Transact;
use rig_core::workspace::{Checkout, Workspace};
use serde_json::json;

use crate::error::{Error, Result, told};
use crate::git::retry_while_locked;
use crate::machine::Machine;
use crate::repository::Repository;
use crate::{events, rows};

/// Lets git's branch follow the last rename, or gives the record back the branch that git has.
///
/// Renames in a row converge: git ends on the last wanted branch.
///
/// # Errors
///
/// `WorkspaceNotFound`, `Cancelled`, the store's. That git refuses is no error: the branch is kept,
/// and `workspace.branch_kept` says why.
pub fn move_branch(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    cancel: &Cancel,
) -> Result<Workspace> {
    let _turn = machine.locks.workspace(&machine.state, id, cancel)?;
    follow(store, machine, id, cancel)
}

/// As [`move_branch`], for who holds the lock of the workspace.
pub(super) fn follow(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    cancel: &Cancel,
) -> Result<Workspace> {
    loop {
        let row = store.read(|read| rows::workspace(read, id))?;
        let Some(actual) = row.actual_branch.clone() else { return Ok(row) };
        if row.status.is_archived() || row.checkout != Checkout::Done {
            return Ok(row);
        }
        let wanted = row.branch.clone();
        match rename(machine, &row, &actual, &wanted, cancel) {
            Ok(Moved { tracked }) => moved(store, id, wanted, tracked)?,
            Err(error @ (Error::Cancelled | Error::Store(_))) => return Err(error),
            Err(error) => {
                let found = head_of(machine, &row).ok().flatten();
                kept(store, id, (actual, wanted), found, told(&error))?;
            }
        }
    }
}

/// A branch that was renamed.
struct Moved {
    /// The remote branch that it tracks.
    tracked: Option<String>,
}

fn kept_because(why: String) -> Error {
    Error::Step { code: "branch_kept", message: why }
}

fn rename(
    machine: &Machine,
    row: &Workspace,
    actual: &str,
    wanted: &str,
    cancel: &Cancel,
) -> Result<Moved> {
    let open = || {
        Repository::open(&machine.git, &row.path)?
            .ok_or_else(|| kept_because("the folder is gone".to_owned()))
    };
    let turn = machine.locks.worktrees(&row.common_dir, cancel)?;
    let repository = open()?;
    let tracked = repository.config(&format!("branch.{actual}.merge"))?;
    match repository.head()?.branch {
        Some(head) if head == wanted => return Ok(Moved { tracked: None }),
        Some(head) if head == actual => {}
        Some(head) => return Err(kept_because(format!("HEAD is on {head}"))),
        None => return Err(kept_because("HEAD is detached".to_owned())),
    }
    if let Some(what) = under_way(&repository)? {
        return Err(kept_because(format!("a {what} is under way")));
    }
    let mut without_config = false;
    let files = [actual, wanted].map(|branch| row.common_dir.join("refs/heads").join(branch));
    retry_while_locked(&row.common_dir, &files, cancel, || {
        let renamed = machine
            .git
            .write(&row.path)
            .args(["branch", "-m", "--"])
            .args([actual, wanted])
            .holding(turn.file())
            .succeed(cancel);
        match renamed {
            // git renames first and fails then, if another one holds the configuration.
            Err(Error::GitFailed { .. }) if head_of(machine, row)?.as_deref() == Some(wanted) => {
                without_config = true;
                Ok(())
            }
            renamed => renamed.map(drop),
        }
    })?;
    if without_config && tracked.is_some() {
        let sections = [actual, wanted].map(|branch| format!("branch.{branch}"));
        let moved = retry_while_locked(&row.common_dir, &[], cancel, || {
            let git = machine.git.write(&row.path);
            git.args(["config", "--rename-section"]).args(&sections).succeed(cancel)
        });
        if let Err(error) = moved {
            tracing::debug!(%error, "the branch was renamed and its configuration was not");
        }
    }
    Ok(Moved { tracked })
}

/// The branch that HEAD of the workspace is on.
fn head_of(machine: &Machine, row: &Workspace) -> Result<Option<String>> {
    let repository = Repository::open(&machine.git, &row.path)?;
    Ok(repository.map(|repository| repository.head()).transpose()?.and_then(|head| head.branch))
}

/// What git is in the middle of in this worktree.
fn under_way(repository: &Repository) -> Result<Option<&'static str>> {
    let folder = |name: &str| repository.git_dir().join(name).is_dir();
    if folder("rebase-merge") || folder("rebase-apply") {
        return Ok(Some("rebase"));
    }
    for (head, what) in
        [("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert")]
    {
        if repository.commit(head)?.is_some() {
            return Ok(Some(what));
        }
    }
    Ok(None)
}

/// git has the branch `now`; a newer rename may want another one.
fn moved(
    store: &impl Transact,
    id: WorkspaceId,
    now: String,
    tracked: Option<String>,
) -> Result<()> {
    store.write(move |tx| {
        let mut row = rows::workspace(tx, id)?;
        row.actual_branch = (row.branch != now).then(|| now.clone());
        row.seen = None;
        if let Some(tracked) = &tracked {
            row.warnings.push(format!(
                "the branch that was renamed tracks {tracked} of a remote: what keys off its old \
                 name, such as a pull request, still has that"
            ));
        }
        row.changed();
        rows::put(tx, &row)?;
        events::workspace(tx, "workspace.branch_changed", &row)
    })
}

/// The branch stays as it is: the name stands, and the record goes back to the branch it had,
/// unless a newer rename came.
fn kept(
    store: &impl Transact,
    id: WorkspaceId,
    (actual, wanted): (String, String),
    found: Option<String>,
    reason: String,
) -> Result<()> {
    store.write(move |tx| {
        let mut row = rows::workspace(tx, id)?;
        if row.branch != wanted {
            return Ok(());
        }
        row.branch.clone_from(&actual);
        row.actual_branch = None;
        row.warnings.push(format!("the branch is still {actual}: {reason}"));
        row.changed();
        rows::put(tx, &row)?;
        let more = json!({ "found": found, "wanted": wanted, "reason": reason });
        events::workspace_with(tx, "workspace.branch_kept", &row, &more)
    })
}
