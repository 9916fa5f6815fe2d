//! The checkout: a worktree on a branch of its own, made by one git process.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rig_core::config::Config;
use rig_core::store::Transact;
use rig_core::workspace::{Base, Checkout, Outcome, Status, StepName, Workspace};

use super::add::{Add, Added};
use super::found::{Found, at_path, taken};
use super::materialize::{Job, Stop};
use super::reserve::{self, Taken};
use super::verify::{self, Expected};
use crate::archive::{self, Removed};
use crate::error::{Error, Result};
use crate::events;
use crate::repository::Repository;
use crate::turns::Turn;
use crate::{progress::Progress, rows};

/// How often another branch is chosen because the one before was taken.
const BRANCH_TRIES: u32 = 5;

/// What is made, once it is decided.
struct Plan {
    branch: String,
    /// The commit of the branch, if it is there already and ours.
    tip: Option<String>,
}

/// A worktree that was added.
struct Made {
    added: Added,
    /// Where its branch is.
    commit: String,
}

impl<S: Transact> Job<'_, S> {
    /// The steps `checkout` and `verify`: afterwards the worktree is there, on its branch.
    ///
    /// `resolved` is a base that is not recorded yet.
    pub(super) fn check_out(
        &mut self,
        repository: &Repository,
        config: &Config,
        resolved: Option<Base>,
    ) -> Result<(), Stop> {
        let first = self.row.checkout == Checkout::NotStarted;
        let mut blocked = None;
        if first {
            self.row.common_dir = repository.common_dir().into();
            blocked = match at_path(&self.row.path, &self.row.common_dir)? {
                Found::Nothing | Found::EmptyFolder => None,
                Found::Ours => Some("a worktree that somebody else made".to_owned()),
                Found::Other(what) => Some(what),
            };
        }
        self.record_start(resolved, blocked.is_none())?;
        let added = self.step(StepName::Checkout, |job| {
            if let Some(what) = blocked {
                return Err(taken(&job.row.path, &what).into());
            }
            let added = job.make(repository, config, first)?;
            let detail = if added.is_none() { "adopted what was there" } else { "added" };
            Ok((added, Outcome::Done, Some(detail.to_owned())))
        })?;
        match added {
            Some(Made { added: Added::Clean, commit }) => {
                let verified = self.step(StepName::Verify, |job| {
                    let expected = Expected { commit: &commit, ..job.expected() };
                    verify::verify(&job.machine.git, expected)?;
                    Ok(((), Outcome::Done, None))
                });
                if let Err(Stop::Failed(Error::Step { code: "unexpected_head", .. })) = verified {
                    // git made it whole and a hook moved HEAD: whoever works there to mend it must
                    // not lose that to a retry.
                    self.record_done()?;
                }
                verified
            }
            // Adopted, and looked at already.
            None => Ok(()),
            Some(Made { added: Added::HookFailed(status), .. }) => {
                self.record_done()?;
                let message = format!(
                    "the post-checkout hook exited with {status}; the checkout is complete and \
                     kept: retry adopts it"
                );
                Err(Error::Step { code: "hook_failed", message }.into())
            }
        }
    }

    /// Stores that the checkout is done: from now on what is in it is never made again.
    pub(super) fn record_done(&mut self) -> Result<(), Stop> {
        self.record(None, |row, _| {
            row.checkout = Checkout::Done;
            Ok(())
        })
    }

    /// Stores the base and that an add is about to start, before it starts.
    fn record_start(&mut self, resolved: Option<Base>, starts: bool) -> Result<(), Stop> {
        let begins = starts && self.row.checkout == Checkout::NotStarted;
        if resolved.is_none() && !begins {
            return Ok(());
        }
        let common_dir = self.row.common_dir.clone();
        let tell = resolved.is_some().then_some("workspace.base_resolved");
        self.record(tell, move |row, _| {
            if let Some(base) = &resolved {
                row.base_resolved(base.clone());
            }
            if begins {
                row.checkout = Checkout::Started;
                row.common_dir = common_dir.clone();
            }
            Ok(())
        })
    }

    fn branch(&self) -> &str {
        branch_of(&self.row)
    }

    fn expected(&self) -> Expected<'_> {
        expected_of(&self.row)
    }

    /// Adds the worktree, or adopts what is there: then there is nothing to answer.
    fn make(
        &mut self,
        repository: &Repository,
        config: &Config,
        first: bool,
    ) -> Result<Option<Made>, Stop> {
        (self.progress)(Progress::Waiting);
        let turn = self.machine.locks.worktrees(&self.row.common_dir, &self.cancel)?;
        (self.progress)(Progress::Step(StepName::Checkout, None));
        match at_path(&self.row.path, &self.row.common_dir)? {
            Found::Ours if self.row.checkout == Checkout::Done => return Ok(None),
            Found::Ours if first => {
                return Err(taken(&self.row.path, "a worktree that somebody else made").into());
            }
            Found::Ours => {
                if verify::is_complete(&self.machine.git, self.expected(), &self.cancel)? {
                    return Ok(None);
                }
                self.refuse_other_branch()?;
                self.remove_rest(&turn)?;
            }
            // Only git's entry may be left, and would refuse the path.
            Found::Nothing | Found::EmptyFolder if !first => self.remove_rest(&turn)?,
            Found::Nothing | Found::EmptyFolder => {}
            Found::Other(_) if archive::is_half_removed(self.machine, &self.row)? => {
                self.remove_rest(&turn)?;
            }
            Found::Other(what) => return Err(taken(&self.row.path, &what).into()),
        }
        self.make_parents()?;
        let plan = self.plan_branch(repository, first)?;
        let limit = config.workspace.checkout_timeout;
        let workers = repository.config("checkout.workers")?.is_none();
        let row = self.row.clone();
        let base = expected_of(&row).commit;
        let commit = plan.tip.as_deref().unwrap_or(base);
        let expected = Expected { branch: &plan.branch, commit, ..expected_of(&row) };
        let mut add = Add {
            machine: self.machine,
            project: &self.project.path,
            row: &row,
            expected,
            reuse: plan.tip.is_some(),
            workers,
            limit,
            turn: &turn,
            cancel: &self.cancel,
            progress: self.progress,
            undone: false,
        };
        let added = add.run();
        self.undone = add.undone && self.row.checkout != Checkout::Done;
        Ok(Some(Made { added: added?, commit: commit.to_owned() }))
    }

    /// A half-made worktree is on our branch or on none yet; one on another branch is not ours.
    fn refuse_other_branch(&self) -> Result<()> {
        let branch = match Repository::open(&self.machine.git, &self.row.path) {
            Ok(Some(repository)) => repository.head().ok().and_then(|head| head.branch),
            _ => None,
        };
        match branch {
            Some(branch) if branch != self.branch() => {
                Err(taken(&self.row.path, &format!("a worktree on the branch {branch}")))
            }
            _ => Ok(()),
        }
    }

    /// Removes what an attempt before this one left.
    fn remove_rest(&self, turn: &Turn) -> Result<()> {
        let project = &self.project.path;
        match archive::remove_checkout(self.machine, project, &self.row, turn, &self.cancel)? {
            Removed::Gone => Ok(()),
            Removed::Kept(why) => {
                Err(taken(&self.row.path, &format!("the rest of a checkout ({why})")))
            }
        }
    }

    /// The folders above the worktree are only for this user.
    fn make_parents(&self) -> Result<()> {
        let parent = self.row.path.parent().unwrap_or(Path::new("/"));
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(parent)
            .map_err(|source| Error::Io { doing: "make", path: parent.to_owned(), source })
    }

    /// Decides on the branch by looking at refs, under the turn: the recorded one if it is free, or
    /// is ours from an earlier try; else the next free one, unless the caller named it.
    fn plan_branch(&mut self, repository: &Repository, first: bool) -> Result<Plan, Stop> {
        for _ in 0..BRANCH_TRIES {
            let branch = self.branch().to_owned();
            let tip = repository.reference(&format!("refs/heads/{branch}"))?;
            let ours = match &tip {
                Some(_) if self.row.checkout == Checkout::Done => true,
                Some(tip) => !first && Some(tip) == self.row.base.commit.as_ref(),
                // No git of ours works now, so a lock is what a killed one left, and it stays.
                None if !first && is_locked(repository, &branch) => false,
                None => !stands_in_the_way(repository, &branch)?,
            };
            if ours {
                return Ok(Plan { branch, tip });
            }
            if self.row.branch_given {
                let why = "it was made meanwhile, and the caller named it".to_owned();
                return Err(Error::BranchConflict { branch, why }.into());
            }
            self.next_branch(repository, &branch)?;
        }
        let why = format!("it was taken, and so were {BRANCH_TRIES} others in a row");
        Err(Error::BranchConflict { branch: self.branch().to_owned(), why }.into())
    }

    /// Stores the next free branch after one that cannot be had.
    fn next_branch(&mut self, repository: &Repository, branch: &str) -> Result<(), Stop> {
        let folder = self.row.path.parent().unwrap_or(Path::new("/")).to_owned();
        let taken = Taken::read(Some(repository), &folder)?.and(branch);
        let (id, project) = (self.row.id, self.project.clone());
        let stored = self.store.write(move |tx| {
            let mut row = rows::workspace(tx, id)?;
            if row.status != Status::Initializing {
                return Ok(Err(Box::new(row)));
            }
            row.branch = reserve::free_branch(tx, &project, &row.name, &taken, id, None)?;
            row.actual_branch = None;
            row.changed();
            rows::put(tx, &row)?;
            events::workspace(tx, "workspace.renamed", &row)?;
            Ok::<_, Error>(Ok(row))
        })?;
        self.row = stored.map_err(Stop::Over)?;
        Ok(())
    }
}

/// The branch that the worktree has or gets.
fn branch_of(row: &Workspace) -> &str {
    row.actual_branch.as_deref().unwrap_or(&row.branch)
}

fn expected_of(row: &Workspace) -> Expected<'_> {
    Expected {
        path: &row.path,
        common_dir: &row.common_dir,
        branch: branch_of(row),
        commit: row.base.commit.as_deref().unwrap_or_default(),
    }
}

/// Whether the ref of a branch has a lock file.
fn is_locked(repository: &Repository, branch: &str) -> bool {
    repository.common_dir().join(format!("refs/heads/{branch}.lock")).symlink_metadata().is_ok()
}

/// Whether git could not make a branch because of another one above or below it.
fn stands_in_the_way(repository: &Repository, branch: &str) -> Result<bool> {
    if !repository.refs_below(&format!("refs/heads/{branch}/"))?.is_empty() {
        return Ok(true);
    }
    for (at, _) in branch.match_indices('/') {
        if repository.reference(&format!("refs/heads/{}", &branch[..at]))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
