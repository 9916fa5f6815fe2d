//! Taking turns on lock files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use rig_core::cancel::Cancel;
use rig_core::id::WorkspaceId;
use rig_core::time::Timestamp;
use rig_git::Error;
use rig_git::turns::Locks;

use crate::world::{TestResult, World};

#[test]
fn one_at_a_time_has_the_turn_whatever_locks_it_uses() {
    let world = World::new();
    let (inside, turns) = (AtomicU32::new(0), AtomicU32::new(0));
    let shared = Locks::default();
    thread::scope(|scope| {
        for at in 0..8 {
            // As threads of one host, and as other processes with state folders of their own.
            let locks = if at % 2 == 0 { shared.clone() } else { Locks::default() };
            let (root, inside, turns) = (world.root(), &inside, &turns);
            scope.spawn(move || {
                for _ in 0..5 {
                    let turn = locks.worktrees(root, &Cancel::new()).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    turns.fetch_add(1, Ordering::SeqCst);
                    drop(turn);
                }
            });
        }
    });
    assert_eq!(turns.into_inner(), 40);
}

#[test]
fn taking_a_turn_again_is_an_error_and_not_a_hang() -> TestResult {
    let world = World::new();
    let locks = Locks::default();
    let turn = locks.worktrees(world.root(), &Cancel::new())?;
    let error = locks.clone().worktrees(&world.root().join("home/.."), &Cancel::new()).unwrap_err();
    assert_eq!(error.code(), "lock_reentry");
    // Another lock is no re-entry.
    let workspace = locks.workspace(
        &world.state(),
        WorkspaceId::generate(Timestamp::default()),
        &Cancel::new(),
    )?;
    drop((turn, workspace));
    locks.worktrees(world.root(), &Cancel::new())?;
    Ok(())
}

#[test]
fn waiting_for_a_turn_can_be_cancelled() -> TestResult {
    let world = World::new();
    let _turn = Locks::default().worktrees(world.root(), &Cancel::new())?;
    let cancel = Cancel::new();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| Locks::default().worktrees(world.root(), &cancel).map(drop));
        cancel.cancel();
        assert!(matches!(waiting.join().unwrap(), Err(Error::Cancelled)));
    });
    Ok(())
}

#[test]
fn lock_files_are_private_empty_and_stay() -> TestResult {
    let world = World::new();
    let (locks, id) = (Locks::default(), WorkspaceId::generate(Timestamp::default()));
    drop(locks.worktrees(world.root(), &Cancel::new())?);
    drop(locks.workspace(&world.state(), id, &Cancel::new())?);
    let mode =
        |path: &str| fs::metadata(world.root().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("state/locks"), 0o700);
    for lock in ["rig-worktrees.lock".to_owned(), format!("state/locks/{id}.lock")] {
        assert_eq!(mode(&lock), 0o600, "{lock}");
        assert_eq!(fs::read(world.root().join(&lock))?, b"");
    }
    Ok(())
}

#[test]
fn a_git_that_works_under_a_turn_has_its_lock_file_as_standard_input() -> TestResult {
    let world = World::new();
    let script = "[ \"$1\" = --version ] && echo git version 2.99.1 && exit\n\
        [ /dev/stdin -ef rig-worktrees.lock ] && wc -c";
    let folder = world.program("git", script);
    let git = world.machine_with(&[("PATH", &world.path_with(&folder))]).git;
    let turn = Locks::default().worktrees(world.root(), &Cancel::new())?;
    let call = git.write(world.root()).arg("worktree").holding(turn.file());
    // So the lock is held until that git ends, even if this process dies first.
    assert_eq!(call.succeed(&Cancel::new())?.stdout.trim_ascii(), b"0");
    Ok(())
}

#[test]
fn a_turn_that_is_given_back_is_free_even_if_a_child_still_has_the_file() -> TestResult {
    let world = World::new();
    let locks = Locks::default();
    let turn = locks.worktrees(world.root(), &Cancel::new())?;
    let mut leftover = Command::new("sleep").arg("60").stdin(turn.file().try_clone()?).spawn()?;
    drop(turn);
    let next = Locks::default().worktrees(world.root(), &Cancel::new());
    leftover.kill()?;
    leftover.wait()?;
    next?;
    Ok(())
}

#[test]
fn a_lock_file_that_was_deleted_locks_nothing() -> TestResult {
    let world = World::new();
    let (locks, lock) = (Locks::default(), world.root().join("rig-worktrees.lock"));
    let turn = locks.worktrees(world.root(), &Cancel::new())?;
    fs::remove_file(&lock)?;
    let next = locks.worktrees(world.root(), &Cancel::new())?;
    assert!(lock.exists());
    drop((turn, next));
    Ok(())
}
