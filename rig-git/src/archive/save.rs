use std::ffi::OsString;
use std::path::Path;

use rig_core::cancel::Cancel;
use rig_core::workspace::{Checkout as Progress, SavedWork, Workspace};

use super::checkout::{Checkout, Found, LIMIT};
use super::index::{TemporaryIndex, line};
use super::status::{Paths, Record, flagged, status};
use crate::error::{Error, Result};
use crate::git::{Call, Git};
use crate::machine::Machine;

/// Saves what the worktree holds that no commit on a branch does, under
/// `refs/rig/archived/<workspace id>`: a commit of all tracked and all untracked, not ignored
/// content, whose first parent is HEAD; a second one holds the index if it has content of its own.
/// None if there is nothing to save. A ref that is set already is answered as it is.
///
/// # Errors
///
/// If not all of it can be saved: the folder must be kept then.
pub(crate) fn save(
    machine: &Machine,
    workspace: &Workspace,
    cancel: &Cancel,
) -> Result<Option<SavedWork>> {
    if workspace.checkout != Progress::Done {
        return Ok(None);
    }
    let git = &machine.git;
    let reference = format!("refs/rig/archived/{}", workspace.id);
    let found = Found::settled(machine, workspace, cancel)?;
    let saved = stored(git, &workspace.common_dir, &reference, cancel)?
        .map(|commit| SavedWork { reference: reference.clone(), commit });
    let (checkout, on_disk) = match (found, &saved) {
        (Found::Ours(checkout), _) => (checkout, true),
        // The entry has a HEAD, even if somebody deleted all files.
        (Found::Missing(Some(checkout)) | Found::Empty(Some(checkout)), None) => (checkout, false),
        // All was saved before the first file of it was deleted.
        (Found::Missing(_) | Found::Empty(_) | Found::Rest(_), _) => return Ok(saved),
        (Found::NotOurs(_), _) => return Ok(None),
    };
    let head = checkout.head(git, cancel)?;
    let stranded = match &head {
        Some(head) => !is_on_a_branch(git, &checkout, head, cancel)?,
        None => false,
    };
    let content = if on_disk { Content::record(git, &checkout, cancel)? } else { None };
    let content = match (content, &head) {
        (None, Some(head)) if stranded => {
            Some(Content { tree: tree_of(git, &checkout, head, cancel)?, staged: None })
        }
        (content, _) => content,
    };
    if let Some(saved) = saved {
        // An archive that was interrupted goes on: somebody may have gone on working, too.
        return match content {
            Some(content) if content.tree != tree_of(git, &checkout, &saved.commit, cancel)? => {
                let message = format!("the folder has changed since {reference} was saved");
                Err(Error::Step { code: "saved_before", message })
            }
            _ => Ok(Some(saved)),
        };
    }
    let Some(content) = content else { return Ok(None) };
    let parent = head.or_else(|| workspace.base.commit.clone());
    let commit = content.commit(git, &checkout, workspace, parent, cancel)?;
    // No old value: a ref that was set meanwhile stays.
    checkout
        .writes(git)
        .args(["update-ref", "--no-deref", "--", &reference, &commit, ""])
        .succeed(cancel)?;
    Ok(Some(SavedWork { reference, commit }))
}

/// What the saved ref is set to, if it is; nothing is where there is no repository any more.
fn stored(
    git: &Git,
    common_dir: &Path,
    reference: &str,
    cancel: &Cancel,
) -> Result<Option<String>> {
    if !common_dir.exists() {
        return Ok(None);
    }
    let mut git_dir = OsString::from("--git-dir=");
    git_dir.push(common_dir);
    let found = git.read(common_dir).arg(git_dir);
    let found = found.args(["for-each-ref", "--format=%(objectname)", "--", reference]);
    Ok(Some(line(found, cancel)?).filter(|commit| !commit.is_empty()))
}

fn is_on_a_branch(git: &Git, checkout: &Checkout, head: &str, cancel: &Cancel) -> Result<bool> {
    let holds =
        ["for-each-ref", "--count=1", "--contains", head, "--", "refs/heads", "refs/remotes"];
    Ok(!line(checkout.reads(git).args(holds).limit(LIMIT), cancel)?.is_empty())
}

fn tree_of(git: &Git, checkout: &Checkout, commit: &str, cancel: &Cancel) -> Result<String> {
    let tree = format!("{commit}^{{tree}}");
    let tree = ["rev-parse", "--verify", "--end-of-options", &tree];
    line(checkout.reads(git).args(tree), cancel)
}

/// The trees to save.
struct Content {
    tree: String,
    /// What is staged, where that is neither in HEAD nor on disk.
    staged: Option<String>,
}

impl Content {
    /// Records what is on disk; none if that is what HEAD has.
    fn record(git: &Git, checkout: &Checkout, cancel: &Cancel) -> Result<Option<Self>> {
        let index = TemporaryIndex::copy(git, checkout)?;
        index.unhide(&flagged(git, checkout, LIMIT, cancel)?.hidden, cancel)?;
        let mut changes = Changes::default();
        status(git, checkout, Some(&index), false, LIMIT, cancel, &mut |record| {
            changes.add(&record);
        })?;
        if !changes.any {
            return Ok(None);
        }
        let staged = if changes.only_in_index {
            // git makes no tree of an index with conflicts: what they are about is in the commits
            // that are being merged, and what became of it is on disk.
            let staged = TemporaryIndex::copy(git, checkout)?;
            staged.update_entries(&changes.our_sides, cancel)?;
            Some(staged.write_tree(cancel)?)
        } else {
            None
        };
        // First what is gone, since it may be a file where there is a folder now, or a link.
        index.update(&["--force-remove"], &changes.gone, cancel)?;
        index.update(&["--add", "--remove", "--replace"], &changes.there, cancel)?;
        Ok(Some(Self { tree: index.write_tree(cancel)?, staged }))
    }

    fn commit(
        self,
        git: &Git,
        checkout: &Checkout,
        workspace: &Workspace,
        parent: Option<String>,
        cancel: &Cancel,
    ) -> Result<String> {
        let name = workspace.name.as_str();
        let mut parents: Vec<String> = parent.into_iter().collect();
        if let Some(tree) = self.staged {
            let message = format!("What was staged in {name:?} when it was archived");
            parents.push(commit_tree(git, checkout, &tree, &parents, &message, cancel)?);
        }
        let message = format!("Uncommitted work of {name:?} when it was archived");
        commit_tree(git, checkout, &self.tree, &parents, &message, cancel)
    }
}

fn commit_tree(
    git: &Git,
    checkout: &Checkout,
    tree: &str,
    parents: &[String],
    message: &str,
    cancel: &Cancel,
) -> Result<String> {
    let parents = parents.iter().flat_map(|parent| ["-p", parent]);
    let call = checkout.writes(git).args(["commit-tree", "-m", message]).args(parents);
    line(as_rig(call.arg(tree)), cancel)
}

/// The author is Rig, so that no configured identity is needed.
fn as_rig(call: Call<'_>) -> Call<'_> {
    ["AUTHOR", "COMMITTER"].into_iter().fold(call, |call, role| {
        call.env(&format!("GIT_{role}_NAME"), "Rig")
            .env(&format!("GIT_{role}_EMAIL"), "rig@localhost")
    })
}

/// What must be done to an index for it to hold what is on disk.
#[derive(Default)]
struct Changes {
    any: bool,
    only_in_index: bool,
    there: Paths,
    gone: Paths,
    our_sides: Paths,
}

impl Changes {
    fn add(&mut self, record: &Record<'_>) {
        match record {
            Record::Tracked(file) if file.is_dirty() => {
                self.any = true;
                self.only_in_index |= file.only_in_index();
                match file.unstaged {
                    b'.' => {}
                    b'D' => self.gone.push(file.path),
                    _ => self.there.push(file.path),
                }
            }
            Record::Unmerged(file) => {
                self.any = true;
                let (mode, object) = file.ours;
                self.our_sides.push(&[mode, b" ", object, b"\t", file.path].concat());
                if file.on_disk {
                    self.there.push(file.path);
                } else {
                    self.gone.push(file.path);
                }
            }
            // A nested repository cannot be held by a commit of this one.
            Record::Untracked(path) if !path.ends_with(b"/") => {
                self.any = true;
                self.there.push(path);
            }
            Record::Tracked(_) | Record::Untracked(_) | Record::Ignored(_) => {}
        }
    }
}
