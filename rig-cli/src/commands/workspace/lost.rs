use rig_git::archive::Lost;

use crate::operations::ArchivedWorkspace;
use crate::output::{Page, Show};

impl Show for ArchivedWorkspace {
    fn show(&self, page: &mut Page) {
        let Some(lost) = &self.lost else { return };
        show(lost, page);
    }
}

/// What a folder holds that nothing else does: nothing at all if there is nothing.
fn show(lost: &Lost, page: &mut Page) {
    let Lost { dirty, unpushed, ignored, submodules, nested, saved } = lost;
    if dirty.count > 0 {
        page.line(format!("{} uncommitted", counted(dirty.count, "file", "files")));
        some(&dirty.paths, dirty.count, page);
    }
    if *unpushed > 0 {
        page.line(format!("{} in no remote", counted(*unpushed, "commit", "commits")));
    }
    if ignored.count > 0 {
        let least = if ignored.at_least { "at least " } else { "" };
        let files = counted(ignored.count, "ignored file or folder", "ignored files and folders");
        page.line(format!("{least}{files}, {}", indicatif::HumanBytes(ignored.bytes)));
        some(&ignored.paths, ignored.count, page);
    }
    for path in submodules {
        page.line(format!("submodule with changes of its own: {}", path.display()));
    }
    for path in nested {
        page.line(format!("repository with work of its own: {}", path.display()));
    }
    if let Some(saved) = saved {
        page.line(format!("saved as {} ({})", saved.reference, saved.commit));
    }
}

fn some(paths: &[rig_core::path::RawPath], count: u64, page: &mut Page) {
    for path in paths {
        page.line(format!("  {}", path.display()));
    }
    let more = count.saturating_sub(paths.len() as u64);
    if more > 0 {
        page.line(format!("  and {more} more"));
    }
}

fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
