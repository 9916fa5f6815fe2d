use rig_core::cancel::Cancel;
use rig_core::workspace::{SavedWork, Workspace};

use super::checkout::{Checkout, Found, LIMIT};
use super::index::{TemporaryIndex, line, quiet};
use super::status::{Paths, Records};
use crate::error::{Error, Result};
use crate::git::Git;
use crate::machine::Machine;

/// Lays saved work over the fresh worktree at `workspace` as uncommitted changes; files that were
/// untracked are untracked again. Doing it again changes nothing. Once HEAD is not the archived one
/// any more nothing is done: somebody works on it.
///
/// # Errors
///
/// If git cannot write it all; `WorkspaceFolderMissing`.
pub(crate) fn apply(
    machine: &Machine,
    workspace: &Workspace,
    saved: &SavedWork,
    cancel: &Cancel,
) -> Result<()> {
    let git = &machine.git;
    let Found::Ours(checkout) = Found::look(machine, workspace)? else {
        return Err(Error::WorkspaceFolderMissing { path: workspace.path.to_path_buf() });
    };
    let parents = ["rev-list", "--parents", "--max-count=1", "--end-of-options", &saved.commit];
    let parents = line(checkout.reads(git).args(parents), cancel)?;
    let mut parents = parents.split(' ').skip(1);
    let (archived_head, staged) = (parents.next(), parents.next());
    let head = checkout.head(git, cancel)?;
    if archived_head.is_some() && head.as_deref() != archived_head {
        tracing::debug!(workspace = %workspace.id, "HEAD has moved on: saved work is not laid over it");
        return Ok(());
    }
    // Only the disk gets the saved tree: the index that learns of it is thrown away. Sparse patterns
    // would leave out what was saved although it lay outside of them.
    let index = TemporaryIndex::copy(git, &checkout)?;
    index
        .call()
        .args(["read-tree", "--reset", "-u", "--no-sparse-checkout", &saved.commit])
        .limit(LIMIT)
        .succeed(cancel)?;
    if let (Some(head), Some(staged)) = (head, staged) {
        stage(git, &checkout, &head, staged, cancel)?;
    }
    Ok(())
}

/// Stages what `staged` has and `head` has not.
fn stage(git: &Git, checkout: &Checkout, head: &str, staged: &str, cancel: &Cancel) -> Result<()> {
    let mut entries = Paths::default();
    let mut about = Vec::new();
    // Each change is two records: `:<mode> <mode> <object> <object> <kind>`, and its path.
    let mut records = Records::new(|record: &[u8]| {
        if about.is_empty() {
            about = record.to_vec();
            return;
        }
        let fields: Vec<&[u8]> = about.split(|byte| *byte == b' ').collect();
        if let [_, mode, _, object, _] = fields[..] {
            entries.push(&[mode, b" ", object, b"\t", record].concat());
        }
        about.clear();
    });
    let mut output = |bytes: &[u8]| records.take(bytes);
    checkout
        .reads(git)
        .args(["diff-tree", "-r", "-z", "--no-renames", "--end-of-options", head, staged])
        .limit(LIMIT)
        .output_to(&mut output)
        .succeed(cancel)?;
    drop(records);
    let input = entries.in_file(&checkout.git_dir)?;
    let call = quiet(git, &checkout.folder).args(["update-index", "-z", "--index-info"]);
    call.holding(&input).limit(LIMIT).succeed(cancel).map(drop)
}
