//! What reading a repository costs.

use std::env;
use std::fs;
use std::process::Command;

use crate::repository_reads::open;
use crate::world::{TestResult, World};

/// Set where the test has a process of its own.
const ALONE: &str = "RIG_TEST_ALONE";

/// Memory is a whole process's: the test runs again in one of its own, where no other is at work.
#[test]
fn many_megabytes_of_packed_refs_are_searched_in_little_memory() -> TestResult {
    if env::var_os(ALONE).is_none() {
        let name = "repository_memory::many_megabytes_of_packed_refs_are_searched_in_little_memory";
        let mut alone = Command::new(env::current_exe()?);
        let output = alone.args(["--exact", name]).env(ALONE, "1").output()?;
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{told}");
        return Ok(());
    }
    let world = World::new();
    let path = world.repository("project");
    let commit = world.git(&["rev-parse", "HEAD"], &path);
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    let filler = "x".repeat(60);
    let line = |name: &str| format!("{commit} refs/heads/{name}\n");
    (0..180_000).for_each(|at| packed.push_str(&line(&format!("a/{at:06}-{filler}"))));
    packed.push_str(&line("worktree/one"));
    packed.push_str(&line("worktree/two"));
    assert!(packed.len() > 20 << 20);
    fs::write(path.join(".git/packed-refs"), packed)?;
    let before = resident_kib();
    let found = open(&world, &path);
    let names: Vec<_> = found.refs_below("refs/heads/worktree/")?;
    let expected = ["refs/heads/worktree/one", "refs/heads/worktree/two"];
    assert_eq!(names.iter().map(|(name, _)| name).collect::<Vec<_>>(), expected);
    assert_eq!(found.reference("refs/heads/worktree/two")?, Some(commit.clone()));
    assert_eq!(found.reference("refs/heads/worktree/three")?, None);
    let name = format!("a/000007-{filler}");
    assert_eq!(found.commit(&name)?, Some(commit));
    // A mapped file counts as resident where it was touched; a copy of all refs would count whole.
    assert!(resident_kib().saturating_sub(before) < 10 << 10);
    Ok(())
}

/// What the test's process has that no file backs.
fn resident_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("RssAnon:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or_default()
}
