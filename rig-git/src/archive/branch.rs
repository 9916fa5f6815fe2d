use std::fs;
use std::path::Path;

use rig_core::cancel::Cancel;
use rig_core::project::Project;
use rig_core::workspace::{Checkout, DeleteBranch, Workspace};

use crate::error::Result;
use crate::git::retry_while_locked;
use crate::machine::Machine;
use crate::repository::Repository;

/// Deletes the workspace's branch as `workspace.delete_branch` asks; answers the reason if it was
/// kept all the same, none if it is gone. It goes only if its tip is still the one that was looked
/// at, and no worktree is on it. A squash merge is no merge: the branch's own commits are nowhere
/// else.
///
/// # Errors
///
/// What reading the repository fails with; `GitLocked`; `Cancelled`.
pub(crate) fn delete_branch(
    machine: &Machine,
    project: &Project,
    workspace: &Workspace,
    cancel: &Cancel,
) -> Result<Option<String>> {
    let Some(wanted) = workspace.delete_branch else {
        return Ok(Some("its deletion was not asked for".into()));
    };
    if workspace.checkout == Checkout::NotStarted {
        return Ok(Some("the workspace never had it".into()));
    }
    let Some(repository) = Repository::discover(&machine.git, &project.path)?
        .filter(|found| found.common_dir() == &*workspace.common_dir)
    else {
        return Ok(Some("the project's repository is not the recorded one".into()));
    };
    let branch = workspace.actual_branch.as_ref().unwrap_or(&workspace.branch);
    let reference = format!("refs/heads/{branch}");
    // Nobody's checkout begins to use the branch meanwhile, as far as they take turns.
    let turn = machine.locks.worktrees(&workspace.common_dir, cancel)?;
    let Some(tip) = repository.reference(&reference)? else { return Ok(None) };
    let kept = match wanted {
        DeleteBranch::Empty if workspace.base.commit.as_ref() != Some(&tip) => {
            Some(format!("{branch:?} has commits of its own"))
        }
        DeleteBranch::Empty => None,
        DeleteBranch::Merged => unmerged(&repository, project, branch, &tip)?,
    };
    if kept.is_some() {
        return Ok(kept);
    }
    if let Some(user) = in_use(machine, project, &repository, branch, &reference, cancel)? {
        return Ok(Some(format!("{branch:?} is used in {user}")));
    }
    let git = &machine.git;
    let lock = workspace.common_dir.join(&reference);
    retry_while_locked(&workspace.common_dir, &[lock], cancel, || {
        git.write(&project.path)
            .args(["update-ref", "--no-deref", "-d", "--", &reference, &tip])
            .holding(turn.file())
            .succeed(cancel)
    })?;
    // What was configured for it must not befall the next branch of that name. That there was
    // nothing is what git calls a failure.
    let section = format!("branch.{branch}");
    let _ = git.write(&project.path).args(["config", "--remove-section", &section]).run(cancel)?;
    Ok(None)
}

/// Why the branch does not count as merged; none if it does.
fn unmerged(
    repository: &Repository,
    project: &Project,
    branch: &str,
    tip: &str,
) -> Result<Option<String>> {
    let Some(trunk) = &project.trunk else {
        return Ok(Some("the project has no trunk".into()));
    };
    let Some(merged) = repository.reference(&format!("refs/remotes/origin/{trunk}"))? else {
        return Ok(Some(format!("there is no origin/{trunk}")));
    };
    let is_merged = repository.is_ancestor(tip, &merged)?;
    Ok((!is_merged).then(|| format!("{branch:?} is not merged into origin/{trunk}")))
}

/// Where the branch is checked out, or being rebased or bisected; none if nowhere.
fn in_use(
    machine: &Machine,
    project: &Project,
    repository: &Repository,
    branch: &str,
    reference: &str,
    cancel: &Cancel,
) -> Result<Option<String>> {
    let checked_out = machine
        .git
        .read(&project.path)
        .args(["for-each-ref", "--format=%(worktreepath)", "--", reference])
        .succeed(cancel)?;
    let checked_out = String::from_utf8_lossy(checked_out.stdout.trim_ascii_end()).into_owned();
    if !checked_out.is_empty() {
        return Ok(Some(checked_out));
    }
    let linked = repository.worktrees()?;
    let main = [repository.common_dir().to_path_buf()];
    let mut git_dirs = main.into_iter().chain(linked.into_iter().map(|entry| entry.git_dir));
    Ok(git_dirs
        .find(|git_dir| is_set_aside(git_dir, branch, reference))
        .map(|git_dir| git_dir.display().to_string()))
}

/// Whether a rebase or a bisection under way will go back to the branch.
fn is_set_aside(git_dir: &Path, branch: &str, reference: &str) -> bool {
    ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"].iter().any(|file| {
        fs::read_to_string(git_dir.join(file))
            .is_ok_and(|named| [branch, reference].contains(&named.trim_end()))
    })
}
