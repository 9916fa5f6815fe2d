//! Makes a reserved workspace, step by step. What a step found is durable before the next begins;
//! steps that leave nothing to lose share a commit.

use rig_core::cancel::Cancel;
use rig_core::config::{self, Config};
use rig_core::id::WorkspaceId;
use rig_core::project::Project;
use rig_core::store::Transact;
use rig_core::time::Timestamp;
use rig_core::workspace::{Checkout, Outcome, Status, Step, StepName, StoredError, Workspace};

use super::{branch, stop};
pub(super) use crate::error::told;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::progress::Progress;
use crate::projects::usable;
use crate::{archive, events, rows, setup, sync};

/// Carries an `initializing` workspace on until it is ready or failed, and answers with the row as
/// it then is. Does nothing in any other status. Takes the lock of the workspace, so of several at
/// once one works and the others wait.
///
/// What is at the path already decides how it goes on: a checkout that is complete is adopted, one
/// that was cut off is made again, and what is not provably this workspace's is left alone.
///
/// # Errors
///
/// `WorkspaceNotFound`; `Cancelled`, and the row stays `initializing`; the store's. A step that
/// fails is no error here: the row is `failed` then.
pub fn materialize(
    store: &impl Transact,
    machine: &Machine,
    id: WorkspaceId,
    progress: &mut dyn FnMut(Progress<'_>),
    cancel: &Cancel,
) -> Result<Workspace> {
    let _turn = machine.locks.workspace(&machine.state, id, cancel)?;
    let (row, project) = store.read(|read| {
        let row = rows::workspace(read, id)?;
        let project = rows::project(read, row.project)?;
        Ok::<_, Error>((row, project))
    })?;
    if row.status != Status::Initializing {
        return Ok(row);
    }
    let stopped = stop::when_archived(&machine.state, id, cancel);
    let mut job = Job {
        store,
        machine,
        project,
        row,
        ended: Vec::new(),
        warnings: Vec::new(),
        undone: false,
        progress,
        cancel: stopped,
    };
    match job.run() {
        Ok(()) => job.follow_rename(),
        Err(Stop::Over(row)) => Ok(*row),
        Err(Stop::Failed(Error::Cancelled)) if cancel.is_cancelled() => Err(Error::Cancelled),
        // It was archived by somebody else meanwhile.
        Err(Stop::Failed(Error::Cancelled)) => store.read(|read| rows::workspace(read, id)),
        Err(Stop::Failed(error @ Error::Store(_))) => Err(error),
        Err(Stop::Failed(error)) => job.fail(&error),
    }
}

/// Why the work on a workspace ended early.
pub(super) enum Stop {
    /// A step failed.
    Failed(Error),
    /// The row is not `initializing` any more, so nothing of it is ours to change.
    Over(Box<Workspace>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The work on one workspace.
pub(super) struct Job<'a, S> {
    pub(super) store: &'a S,
    pub(super) machine: &'a Machine,
    pub(super) project: Project,
    /// The row as it was stored last.
    pub(super) row: Workspace,
    /// Steps that ended and are not stored yet.
    ended: Vec<Step>,
    /// Warnings that are not stored yet.
    warnings: Vec<String>,
    /// Whether a failed checkout was undone, so that nothing of it is left.
    pub(super) undone: bool,
    pub(super) progress: &'a mut dyn FnMut(Progress<'_>),
    pub(super) cancel: Cancel,
}

impl<S: Transact> Job<'_, S> {
    fn run(&mut self) -> Result<(), Stop> {
        // Only what is proven gone is: anything else shows when the repository is read.
        if matches!(self.project.path.try_exists(), Ok(false)) {
            let path = self.project.path.to_path_buf();
            return Err(Error::ProjectMissing { path }.into());
        }
        let repository = usable(&self.machine.git, &self.project.path)?;
        let config = self.config()?;
        let resolved = self.resolve(&repository, &config)?;
        self.check_out(&repository, &config, resolved)?;
        if self.row.restores.is_some() && self.row.checkout != Checkout::Done {
            self.lay_saved_work()?;
        }
        self.prepare(&config)?;
        let now = self.store.now();
        self.end(StepName::Ready, None, now, Outcome::Done, None);
        self.record(Some("workspace.ready"), |row, now| {
            row.checkout = Checkout::Done;
            Ok(row.become_ready(now)?)
        })
    }

    /// The configuration of the project's root.
    fn config(&self) -> Result<Config> {
        Ok(config::load(self.machine.user_config.as_deref(), &self.project.path)?)
    }

    /// Sync and setup.
    fn prepare(&mut self, config: &Config) -> Result<(), Stop> {
        let own = config::load(self.machine.user_config.as_deref(), &self.row.path);
        let syncs =
            !config.workspace.sync.is_empty() || !config.workspace.protected_sync.is_empty();
        let nothing_to_do =
            !syncs && own.as_ref().is_ok_and(|own| own.workspace.setup_commands.is_empty());
        if nothing_to_do {
            let now = self.store.now();
            self.end(StepName::Sync, None, now, Outcome::Skipped, None);
            self.end(StepName::Setup, None, now, Outcome::Skipped, None);
            return Ok(());
        }
        self.record_done()?;
        self.sync(config)?;
        self.set_up(own)
    }

    fn sync(&mut self, config: &Config) -> Result<(), Stop> {
        let began = self.begin(StepName::Sync);
        let pass = sync::pass(config, &self.project.path, &self.row.path, false, &self.cancel);
        let failed: Vec<String> = match pass {
            Ok(report) => report
                .paths
                .iter()
                .filter(|path| path.outcome == sync::Synced::Failed)
                .map(|path| {
                    let why = path.reason.as_deref().unwrap_or("unknown");
                    format!("sync of {} failed: {why}", path.path.display())
                })
                .collect(),
            Err(Error::Cancelled) => return Err(Error::Cancelled.into()),
            Err(error) => vec![format!("sync failed: {}", told(&error))],
        };
        let outcome = if failed.is_empty() { Outcome::Done } else { Outcome::Warned };
        let detail = failed.first().cloned();
        for warning in failed {
            self.warn(warning);
        }
        self.end(StepName::Sync, None, began, outcome, detail);
        Ok(())
    }

    fn set_up(&mut self, own: Result<Config, config::Error>) -> Result<(), Stop> {
        let began = self.begin(StepName::Setup);
        let own = match own {
            Ok(own) => own,
            Err(error) => {
                let error = Error::from(error);
                self.end(StepName::Setup, None, began, Outcome::Failed, Some(told(&error)));
                return Err(error.into());
            }
        };
        if own.workspace.setup_commands.is_empty() {
            self.end(StepName::Setup, None, began, Outcome::Skipped, None);
            return Ok(());
        }
        let (store, row) = (self.store, self.row.clone());
        // Each command that ended is stored before the next begins, behind the steps before it.
        let waiting = &mut self.ended;
        let mut over = None;
        let ran = setup::run(
            self.machine,
            &row,
            &self.project.path,
            &own,
            &|| store.now(),
            self.progress,
            &mut |step| {
                waiting.push(step);
                let news = News { steps: std::mem::take(waiting), ..News::default() };
                match news.store(store, row.id, |_, _| Ok(()))? {
                    Ok(_) => Ok(()),
                    Err(row) => {
                        over = Some(row);
                        Err(Error::Cancelled)
                    }
                }
            },
            &self.cancel,
        );
        if let Some(row) = over {
            return Err(Stop::Over(row));
        }
        let (outcome, detail) = match &ran {
            Ok(()) => (Outcome::Done, None),
            Err(error) => (Outcome::Failed, Some(told(error))),
        };
        if !matches!(ran, Err(Error::Cancelled)) {
            self.end(StepName::Setup, None, began, outcome, detail);
        }
        Ok(ran?)
    }

    fn lay_saved_work(&mut self) -> Result<(), Stop> {
        let archived = self.row.restores.map(|id| self.store.read(|r| rows::workspace(r, id)));
        if let Some(saved) = archived.transpose()?.and_then(|archived| archived.saved) {
            archive::apply(self.machine, &self.row, &saved, &self.cancel)?;
        }
        Ok(())
    }

    /// Tells that a step begins; answers when.
    fn begin(&mut self, step: StepName) -> Timestamp {
        (self.progress)(Progress::Step(step, None));
        self.store.now()
    }

    /// Keeps a step that ended until the next commit.
    fn end(
        &mut self,
        step: StepName,
        index: Option<u32>,
        started_at: Timestamp,
        outcome: Outcome,
        detail: Option<String>,
    ) {
        let took = self.store.now().since(started_at);
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let detail = detail.map(|detail| detail.chars().take(StoredError::MAX_MESSAGE).collect());
        self.ended.push(Step { step, index, started_at, duration_ms, outcome, detail });
    }

    /// Runs a step that needs nothing kept but its outcome; a failing one is kept as such.
    pub(super) fn step<T>(
        &mut self,
        step: StepName,
        work: impl FnOnce(&mut Self) -> Result<(T, Outcome, Option<String>), Stop>,
    ) -> Result<T, Stop> {
        let began = self.begin(step);
        match work(self) {
            Ok((value, outcome, detail)) => {
                self.end(step, None, began, outcome, detail);
                Ok(value)
            }
            Err(Stop::Failed(error)) => {
                if !matches!(error, Error::Cancelled | Error::Store(_)) {
                    self.end(step, None, began, Outcome::Failed, Some(told(&error)));
                }
                Err(error.into())
            }
            Err(over) => Err(over),
        }
    }

    /// Keeps a warning until the next commit that changes what a reply shows.
    pub(super) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Commits a change of the row with the steps that ended, if the row is still `initializing`.
    pub(super) fn record(
        &mut self,
        tell: Option<&'static str>,
        change: impl Fn(&mut Workspace, Timestamp) -> Result<()> + Send + 'static,
    ) -> Result<(), Stop> {
        let steps = std::mem::take(&mut self.ended);
        let warnings = if tell.is_some() { std::mem::take(&mut self.warnings) } else { Vec::new() };
        let news = News { steps, warnings, tell };
        self.row = news.store(self.store, self.row.id, change)?.map_err(Stop::Over)?;
        Ok(())
    }

    /// The step that was running failed, and the workspace with it.
    fn fail(mut self, error: &Error) -> Result<Workspace> {
        let stored = StoredError::new(error.code(), &told(error));
        let undone = self.undone;
        let failed = self.record(Some("workspace.failed"), move |row, _| {
            if undone {
                row.checkout = Checkout::NotStarted;
            }
            Ok(row.become_failed(stored.clone())?)
        });
        match failed {
            Ok(()) => Ok(self.row),
            Err(Stop::Over(row)) => Ok(*row),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// A rename that came during the checkout is carried out now.
    fn follow_rename(self) -> Result<Workspace> {
        if self.row.actual_branch.is_none() {
            return Ok(self.row);
        }
        branch::follow(self.store, self.machine, self.row.id, &self.cancel)
    }
}

/// What a commit tells of the work on a workspace.
#[derive(Default)]
struct News {
    /// Steps that ended.
    steps: Vec<Step>,
    warnings: Vec<String>,
    /// The event that the change itself is.
    tell: Option<&'static str>,
}

impl News {
    /// Commits a change of the row with its news, and answers with the row; if that is not
    /// `initializing` any more, it is the error, and nothing is changed.
    fn store(
        self,
        store: &impl Transact,
        id: WorkspaceId,
        change: impl Fn(&mut Workspace, Timestamp) -> Result<()> + Send + 'static,
    ) -> Result<Result<Workspace, Box<Workspace>>> {
        store.write(move |tx| {
            let mut row = rows::workspace(tx, id)?;
            if row.status != Status::Initializing {
                return Ok(Err(Box::new(row)));
            }
            for step in &self.steps {
                row.step_ended(step.clone());
                events::workspace_with(tx, "workspace.step", &row, step)?;
            }
            for warning in &self.warnings {
                if !row.warnings.contains(warning) {
                    row.warnings.push(warning.clone());
                }
            }
            change(&mut row, tx.now())?;
            rows::put(tx, &row)?;
            if let Some(kind) = self.tell {
                events::workspace(tx, kind, &row)?;
            }
            Ok(Ok(row))
        })
    }
}
