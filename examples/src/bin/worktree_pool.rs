//! A pool of worktrees for a CI job: the same repository, many commands, a few at a time, each in a
//! checkout that no other one touches.
//!
//! ```text
//! worktree_pool REPOSITORY WORKTREES COMMAND...
//! worktree_pool ~/src/app 4 "cargo test -p core" "cargo test -p cli" "cargo clippy"
//! ```
//!
//! It prints how each command ended and exits with 1 if one failed. The worktrees are archived in
//! the end, and those of a run that was killed at the next start; what a command left uncommitted is
//! saved first, under `refs/rig/archived/`.

use std::collections::VecDeque;
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::thread;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::project::Project;
use rig_core::store::{Options, Store, Transact as _};
use rig_core::workspace::Workspace;
use rig_git::workspaces::{self, NewWorkspace};
use rig_git::{Machine, projects};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    match run(env::args_os().skip(1)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("worktree_pool: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(mut args: impl Iterator<Item = OsString>) -> Result<bool, Failure> {
    let usage = "usage: worktree_pool REPOSITORY WORKTREES COMMAND...";
    let repository = PathBuf::from(args.next().ok_or(usage)?).canonicalize()?;
    let size: usize = args.next().and_then(|n| n.to_str()?.parse().ok()).ok_or(usage)?;
    let commands: VecDeque<OsString> = args.collect();
    if commands.is_empty() || size == 0 {
        return Err(usage.into());
    }
    let pool = Pool::open(&repository)?;
    let size = size.min(commands.len());
    let commands = Mutex::new(commands);
    thread::scope(|scope| {
        let workers: Vec<_> = (1..=size)
            .map(|number| {
                scope.spawn({
                    let (pool, commands) = (&pool, &commands);
                    move || pool.work(number, commands)
                })
            })
            .collect();
        let mut all = true;
        for worker in workers {
            all &= worker.join().map_err(|_| "a worker panicked")??;
        }
        Ok(all)
    })
}

/// One repository and the store that remembers its worktrees.
struct Pool {
    store: Store,
    machine: Machine,
    project: Project,
}

impl Pool {
    /// Worktrees and store lie beside the repository, in `<repository>.pool`.
    fn open(repository: &Path) -> Result<Self, Failure> {
        let mut folder = repository.as_os_str().to_owned();
        folder.push(".pool");
        let folder = PathBuf::from(folder);
        let store = Store::open(&folder.join("state/rig.redb"), Options::default())?;
        let environment = env::vars_os().collect();
        let machine = Machine::new(environment, folder.join("state"), folder.join("worktrees"))?;
        let project = projects::add(&store, &machine, repository, None)?;
        let pool = Self { store, machine, project };
        // A run that was killed left its worktrees.
        let left = pool.store.read(|read| workspaces::list(read, pool.project.id, false))?;
        let unfinished = pool.store.read(workspaces::pending)?;
        for workspace in left.iter().chain(&unfinished) {
            pool.give_back(workspace)?;
        }
        Ok(pool)
    }

    /// Runs commands in a worktree of its own until none is left; answers whether all succeeded.
    fn work(&self, number: usize, commands: &Mutex<VecDeque<OsString>>) -> Result<bool, Failure> {
        let workspace = self.worktree(number)?;
        let mut all = true;
        loop {
            let next = commands.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(command) = next else { break };
            let status =
                Command::new("sh").arg("-c").arg(&command).current_dir(&workspace.path).status()?;
            println!("worktree {number}: {} ({status})", command.to_string_lossy());
            all &= status.success();
        }
        self.give_back(&workspace)?;
        Ok(all)
    }

    fn worktree(&self, number: usize) -> Result<Workspace, Failure> {
        let cancel = Cancel::new();
        let new = NewWorkspace {
            project: self.project.id,
            id: None,
            name: Some(format!("Pool {number}")),
            base: None,
            caller: Caller::Person,
        };
        let reserved = workspaces::create(&self.store, &self.machine, new, &cancel)?;
        let made =
            workspaces::materialize(&self.store, &self.machine, reserved.id, &mut |_| {}, &cancel)?;
        if let Some(error) = &made.error {
            return Err(format!("{}: {}", error.code, error.message).into());
        }
        workspaces::working_folder(&made, &cancel)?;
        Ok(made)
    }

    fn give_back(&self, workspace: &Workspace) -> Result<(), Failure> {
        let delete = Some(rig_core::workspace::DeleteBranch::Empty);
        workspaces::archive(&self.store, workspace.id, delete, Caller::Person, None)?;
        let cleaned =
            workspaces::clean_up(&self.store, &self.machine, workspace.id, &Cancel::new())?;
        if let Some(saved) = cleaned.workspace.saved {
            println!("uncommitted work of {} is saved as {}", workspace.name, saved.reference);
        }
        if let Some(kept) = cleaned.kept {
            println!("{} stays: {kept}", workspace.path.display());
        }
        Ok(())
    }
}
