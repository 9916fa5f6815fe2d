use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

fn git(folder: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Tester", "-c", "user.email=tester@example.com"]);
    let output = git.args(args).current_dir(folder).env("HOME", folder).output().unwrap();
    assert!(output.status.success(), "git {args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_pool_runs_each_command_in_a_worktree_of_its_own_and_saves_what_is_left() {
    let folder = TempDir::new().unwrap();
    git(folder.path(), &["init", "-q", "--initial-branch=main", "app"]);
    let app = folder.path().join("app");
    git(&app, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let mut pool = Command::new(env!("CARGO_BIN_EXE_worktree_pool"));
    pool.env("HOME", folder.path()).arg(&app).arg("2");
    let output = pool.args(["test -f .git", "echo left > left.txt", "exit 3"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("test -f .git (exit status: 0)"), "{said}");
    assert!(said.contains("exit 3 (exit status: 3)"), "{said}");
    assert!(said.contains("is saved as refs/rig/archived/"), "{said}");
    assert_eq!(git(&app, &["worktree", "list"]).lines().count(), 1);
    assert_eq!(
        git(&app, &["for-each-ref", "--format=%(refname)", "refs/heads"]),
        "refs/heads/main\n"
    );
}
