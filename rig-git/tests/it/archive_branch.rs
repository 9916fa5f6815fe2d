//! Deleting the branch of an archived workspace.

use rig_core::workspace::{DeleteBranch, Workspace};

use crate::archive_world::Desk;

fn has_branch(desk: &Desk, branch: &str) -> bool {
    let reference = format!("refs/heads/{branch}");
    let found = ["rev-parse", "--verify", "--quiet", &reference];
    desk.world.try_git(&found, &desk.root).status.success()
}

fn archived(desk: &Desk, made: &Workspace, delete: DeleteBranch) -> (Option<String>, bool) {
    let cleaned = desk.archive_with_branch(made, Some(delete));
    (cleaned.branch_kept, has_branch(desk, &made.branch))
}

#[test]
fn an_empty_branch_goes_if_its_tip_is_the_base() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    desk.git(&["config", "branch.worktree/task.description", "gone with it"], &desk.root);
    assert_eq!(archived(&desk, &made, DeleteBranch::Empty), (None, false));
    let left = ["config", "--get", "branch.worktree/task.description"];
    assert!(!desk.world.try_git(&left, &desk.root).status.success());
}

#[test]
fn a_branch_with_commits_is_not_empty() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    desk.world.commit(&made.path, "file", "text");
    let (kept, there) = archived(&desk, &made, DeleteBranch::Empty);
    assert_eq!(kept.as_deref(), Some("\"worktree/task\" has commits of its own"));
    assert!(there);
}

#[test]
fn a_merged_branch_goes_if_origins_trunk_has_its_tip() {
    let desk = Desk::cloned();
    let made = desk.workspace("Task");
    desk.world.commit(&made.path, "file", "text");
    desk.git(&["push", "-q", "origin", "HEAD:merging"], &made.path);
    let origin = desk.world.root().join("origin");
    desk.git(&["merge", "-q", "--no-ff", "-m", "merge", "merging"], &origin);
    desk.git(&["fetch", "-q"], &desk.root);
    assert_eq!(archived(&desk, &made, DeleteBranch::Merged), (None, false));
}

#[test]
fn a_squash_merge_does_not_count() {
    let desk = Desk::cloned();
    let made = desk.workspace("Task");
    desk.world.commit(&made.path, "file", "text");
    desk.git(&["push", "-q", "origin", "HEAD:merging"], &made.path);
    let origin = desk.world.root().join("origin");
    desk.git(&["merge", "-q", "--squash", "merging"], &origin);
    desk.git(&["commit", "-q", "-m", "squashed"], &origin);
    desk.git(&["fetch", "-q"], &desk.root);
    let (kept, there) = archived(&desk, &made, DeleteBranch::Merged);
    assert_eq!(kept.as_deref(), Some("\"worktree/task\" is not merged into origin/main"));
    assert!(there);
}

#[test]
fn a_branch_that_only_local_main_has_is_not_merged() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    let (kept, there) = archived(&desk, &made, DeleteBranch::Merged);
    assert_eq!(kept.as_deref(), Some("there is no origin/main"));
    assert!(there);
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_stays() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    desk.git(&["checkout", "-q", "--detach"], &made.path);
    let other = desk.world.root().join("other");
    let args = ["worktree", "add", "-q", other.to_str().unwrap(), "worktree/task"];
    desk.git(&args, &desk.root);
    let (kept, there) = archived(&desk, &made, DeleteBranch::Empty);
    assert!(kept.is_some_and(|kept| kept.contains(other.to_str().unwrap())));
    assert!(there);
}

#[test]
fn a_branch_that_is_being_rebased_elsewhere_stays() {
    let desk = Desk::new();
    let made = desk.workspace("Task");
    desk.git(&["checkout", "-q", "--detach"], &made.path);
    desk.git(&["checkout", "-q", "worktree/task"], &desk.root);
    let rebase = ["-c", "sequence.editor=sed -i 1ibreak", "rebase", "-q", "-i", "--root"];
    desk.git(&rebase, &desk.root);
    let (kept, there) = archived(&desk, &made, DeleteBranch::Empty);
    assert!(kept.is_some_and(|kept| kept.contains("is used in")));
    assert!(there);
}
