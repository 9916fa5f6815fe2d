use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rig_core::cancel::Cancel;
use rig_core::config::Config;
use rig_core::path::RawPath;
use rig_core::workspace::{SavedWork, Workspace};
use serde::{Deserialize, Serialize};

use super::checkout::{Checkout, Found, LIMIT};
use super::ignored::Walk;
use super::index::{TemporaryIndex, line};
use super::status::{Record, flagged, status};
use crate::error::{Error, Result};
use crate::git::Git;
use crate::machine::Machine;

/// What would be lost, or was, with a workspace's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lost {
    /// Staged, unstaged, untracked and conflicted files.
    pub dirty: Dirty,
    /// Commits of HEAD in no remote-tracking ref and not in the base.
    pub unpushed: u64,
    /// Ignored files, folders collapsed.
    pub ignored: Ignored,
    /// Submodules with changes or commits of their own.
    pub submodules: Vec<RawPath>,
    /// Nested repositories with changes or commits of their own.
    pub nested: Vec<RawPath>,
    /// Where the work was saved, once it is.
    pub saved: Option<SavedWork>,
}

/// Files with uncommitted changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dirty {
    /// How many.
    pub count: u64,
    /// The first 50, in byte order.
    pub paths: Vec<RawPath>,
}

/// Ignored files and folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ignored {
    /// How many, folders counted once.
    pub count: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Whether counting was cut off, so that there is at least this much.
    pub at_least: bool,
    /// The first 50, in byte order.
    pub paths: Vec<RawPath>,
}

/// Paths shown of each kind.
const SHOWN: usize = 50;

/// Looks at what the workspace's folder holds that nothing else does. A folder that is gone, or is
/// not the workspace's own, has no files to lose.
///
/// # Errors
///
/// If git cannot read the worktree, or `Cancelled`.
pub(crate) fn lost(
    machine: &Machine,
    config: &Config,
    project_root: &Path,
    workspace: &Workspace,
    cancel: &Cancel,
) -> Result<Lost> {
    let git = &machine.git;
    let mut lost = Lost { saved: workspace.saved.clone(), ..Lost::default() };
    let checkout = match Found::settled(machine, workspace, cancel)? {
        Found::Ours(checkout) => checkout,
        Found::Missing(Some(checkout))
        | Found::Empty(Some(checkout))
        | Found::Rest(Some(checkout)) => {
            lost.unpushed = unpushed(git, &checkout, workspace, cancel)?;
            return Ok(lost);
        }
        _ => return Ok(lost),
    };
    lost.unpushed = unpushed(git, &checkout, workspace, cancel)?;

    let flagged = flagged(git, &checkout, LIMIT, cancel)?;
    let index = if flagged.hidden.is_empty() {
        None
    } else {
        let index = TemporaryIndex::copy(git, &checkout)?;
        index.unhide(&flagged.hidden, cancel)?;
        Some(index)
    };
    let mut dirty = Shown::default();
    let mut submodules = BTreeSet::new();
    let mut nested = BTreeSet::new();
    let mut ignored = Vec::new();
    status(git, &checkout, index.as_ref(), true, LIMIT, cancel, &mut |record| match record {
        Record::Tracked(file) => {
            if file.is_dirty() {
                dirty.add(file.path);
            }
            if file.submodule_changed() {
                submodules.insert(path(file.path));
            }
        }
        Record::Unmerged(file) => dirty.add(file.path),
        Record::Untracked(found) if found.ends_with(b"/") => {
            nested.insert(path(found));
        }
        Record::Untracked(found) => dirty.add(found),
        Record::Ignored(found) => ignored.push(path(found)),
    })?;
    lost.dirty = Dirty { count: dirty.count, paths: dirty.paths() };

    let mut walk = Walk::new(config, project_root, &checkout.folder, cancel);
    let mut shown = Shown::default();
    for found in ignored {
        if let Some(bytes) = walk.bytes(&found)? {
            shown.add(found.as_os_str().as_bytes());
            lost.ignored.bytes += bytes;
        }
    }
    lost.ignored.count = shown.count;
    lost.ignored.paths = shown.paths();
    lost.ignored.at_least = walk.was_cut_off();
    nested.extend(walk.into_repositories());

    let own = |path: &PathBuf| has_own_work(git, &checkout.folder.join(path), cancel);
    for path in flagged.submodules {
        if !submodules.contains(&path) && own(&path)? {
            submodules.insert(path);
        }
    }
    for path in nested {
        if own(&path)? {
            lost.nested.push(path.into());
        }
    }
    lost.submodules = submodules.into_iter().map(RawPath::from).collect();
    Ok(lost)
}

/// How many commits of HEAD are in no remote-tracking ref and not in the base.
fn unpushed(git: &Git, checkout: &Checkout, workspace: &Workspace, cancel: &Cancel) -> Result<u64> {
    let Some(head) = checkout.head(git, cancel)? else { return Ok(0) };
    // A base that is gone from the repository takes nothing away.
    let count = checkout
        .reads(git)
        .args(["rev-list", "--count", "--ignore-missing", &head, "--not", "--remotes"])
        .args(workspace.base.commit.as_deref())
        .limit(LIMIT);
    Ok(line(count, cancel)?.parse().unwrap_or(0))
}

/// Whether the repository whose top level is `folder` has changes, or commits that no remote of it
/// has. One that cannot be read has: nobody knows what is in it.
fn has_own_work(git: &Git, folder: &Path, cancel: &Cancel) -> Result<bool> {
    let ask = |args: &[&str]| match git.read(folder).args(args).limit(LIMIT).run(cancel) {
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Ok(answer) => Ok(answer.status != Some(0) || !answer.stdout.is_empty()),
        Err(_) => Ok(true),
    };
    Ok(ask(&["status", "--porcelain", "-z", "--ignore-submodules=none"])?
        || ask(&["rev-list", "--all", "--max-count=1", "--not", "--remotes"])?)
}

/// The first paths in byte order, and how many there are.
#[derive(Default)]
struct Shown {
    count: u64,
    first: BTreeSet<Vec<u8>>,
}

impl Shown {
    fn add(&mut self, path: &[u8]) {
        self.count += 1;
        self.first.insert(path.to_vec());
        if self.first.len() > SHOWN {
            self.first.pop_last();
        }
    }

    fn paths(self) -> Vec<RawPath> {
        self.first.iter().map(|bytes| path(bytes).into()).collect()
    }
}

fn path(bytes: &[u8]) -> PathBuf {
    OsStr::from_bytes(bytes).into()
}
