use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rig_core::cancel::Cancel;
use rig_core::id::WorkspaceId;
use rig_core::store::Transact as _;
use rig_core::workspace::{Status, StepName};
use rig_git::archive::Lost;
use rig_git::progress::Progress;
use rig_git::workspaces;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};

use super::core::Core;
use super::session::blocking;
use crate::node::error::Result;
use crate::operations::WorkProgress;
use crate::protocol::Failure;

/// Workspaces worked on at once.
const AT_ONCE: usize = 8;

/// The work on workspaces: each one that is due is worked on by one thread of the leader.
#[derive(Debug, Default)]
pub(in crate::node) struct Works {
    state: Mutex<State>,
    /// Something is due, wanted or done.
    wake: Notify,
    /// Changes when a work ends.
    ended: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    running: HashMap<WorkspaceId, Running>,
    wanted: HashMap<WorkspaceId, Wanted>,
    /// Those whose work failed here; nobody tries again before somebody asks.
    given_up: HashSet<WorkspaceId>,
    leaving: bool,
}

#[derive(Debug)]
struct Running {
    cancel: Cancel,
    step: Option<StepName>,
}

/// Who waits for a workspace.
#[derive(Debug, Default)]
struct Wanted {
    /// Requests of this process.
    own: usize,
    /// Requests of others.
    others: usize,
    news: watch::Sender<News>,
}

/// How the work on a workspace goes on.
#[derive(Clone, Debug, Default)]
pub(in crate::node) struct News {
    /// What is worth showing.
    pub(in crate::node) progress: Option<WorkProgress>,
    /// What the work ended with.
    pub(in crate::node) done: Option<Result<Done, Failure>>,
}

/// What came of the work on a workspace.
#[derive(Clone, Debug)]
pub(in crate::node) enum Done {
    /// Its row tells.
    Row,
    /// It was cleaned up after it was archived.
    CleanedUp {
        /// What its folder held, if that could be told.
        lost: Option<Lost>,
        /// Why the folder was kept, if it was.
        kept: Option<String>,
        /// Why the branch was kept, if it was to be deleted.
        branch_kept: Option<String>,
    },
}

/// A workspace is waited for, until this is dropped.
pub(in crate::node) struct Waiting {
    pub(in crate::node) news: watch::Receiver<News>,
    core: Arc<Core>,
    id: WorkspaceId,
    own: bool,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.core.works.lock();
        if let Some(wanted) = state.wanted.get_mut(&self.id) {
            let count = if self.own { &mut wanted.own } else { &mut wanted.others };
            *count -= 1;
            if wanted.own + wanted.others == 0 {
                state.wanted.remove(&self.id);
            }
        }
    }
}

impl Works {
    /// Waits for a workspace from now on, which also makes it be worked on if that is due.
    pub(in crate::node) fn want(&self, core: &Arc<Core>, id: WorkspaceId, own: bool) -> Waiting {
        let mut state = self.lock();
        state.given_up.remove(&id);
        let wanted = state.wanted.entry(id).or_default();
        *(if own { &mut wanted.own } else { &mut wanted.others }) += 1;
        let news = wanted.news.subscribe();
        drop(state);
        self.wake.notify_one();
        Waiting { news, core: Arc::clone(core), id, own }
    }

    /// Looks again at what is due.
    pub(in crate::node) fn look_again(&self) {
        self.wake.notify_one();
    }

    /// Tries a workspace again whose work failed here.
    pub(in crate::node) fn retry(&self, id: WorkspaceId) {
        self.lock().given_up.remove(&id);
        self.look_again();
    }

    /// Stops what makes a workspace, since it is archived now.
    pub(in crate::node) fn stop(&self, id: WorkspaceId) {
        if let Some(running) = self.lock().running.get(&id) {
            running.cancel.cancel();
        }
        self.retry(id);
    }

    /// Whether the work on a workspace failed here, so that nobody tries it before somebody asks.
    pub(in crate::node) fn gave_up(&self, id: WorkspaceId) -> bool {
        self.lock().given_up.contains(&id)
    }

    /// Tells when the work on a workspace ends.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.ended.subscribe()
    }

    /// Begins to look after the work that is due.
    pub(super) fn start(&self, core: &Arc<Core>) {
        let core = Arc::clone(core);
        tokio::runtime::Handle::current().spawn(async move {
            while !core.leaving.has_begun() {
                if let Err(error) = core.take_up().await {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "cannot tell what is due"
                    );
                }
                tokio::select! {
                    () = core.works.wake.notified() => {}
                    _ = core.leaving.begun() => break,
                }
            }
        });
    }

    /// Ends all work. git that is checking out comes to its end by itself, and whoever leads next
    /// finds what it made; all else is told to stop and waited for. Answers with what was late.
    pub(super) async fn end(&self, deadline: Instant) -> Vec<WorkspaceId> {
        let mut ended = self.ended.subscribe();
        self.lock().leaving = true;
        loop {
            let mut stopping = Vec::new();
            for (id, running) in &self.lock().running {
                if running.step != Some(StepName::Checkout) {
                    running.cancel.cancel();
                    stopping.push(*id);
                }
            }
            if stopping.is_empty() || timeout_at(deadline, ended.changed()).await.is_err() {
                return stopping;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, id: WorkspaceId, change: impl FnOnce(&mut News)) {
        if let Some(wanted) = self.lock().wanted.get(&id) {
            wanted.news.send_modify(change);
        }
    }
}

impl Core {
    /// Starts the work that is due, as far as it is for this leader to do and there is room.
    async fn take_up(self: &Arc<Self>) -> Result<()> {
        let core = Arc::clone(self);
        let mut due = blocking(move || Ok(core.store.read(workspaces::pending)?)).await?;
        let mut state = self.works.lock();
        // What this process waits for comes first; it leaves when that is done.
        due.sort_by_key(|row| state.wanted.get(&row.id).is_none_or(|wanted| wanted.own == 0));
        let own_waits = state.wanted.values().any(|wanted| wanted.own > 0);
        for row in due {
            if state.running.len() >= AT_ONCE || state.leaving {
                break;
            }
            let ours = self.role.stays()
                || state.wanted.get(&row.id).is_some_and(|wanted| wanted.own > 0 || own_waits);
            if !ours || state.given_up.contains(&row.id) || state.running.contains_key(&row.id) {
                continue;
            }
            let cancel = Cancel::new();
            state.running.insert(row.id, Running { cancel: cancel.clone(), step: None });
            let core = Arc::clone(self);
            tokio::task::spawn_blocking(move || {
                let done = core.carry_on(row.id, row.status, &cancel).map_err(Failure::from);
                core.ended(row.id, done);
            });
        }
        Ok(())
    }

    /// Does the work that is due for one workspace, whatever that is.
    fn carry_on(&self, id: WorkspaceId, status: Status, cancel: &Cancel) -> Result<Done> {
        let (store, machine) = (&self.store, self.machine()?);
        match status {
            Status::Archiving => {
                let cleaned = workspaces::clean_up(store, machine, id, cancel)?;
                let workspaces::Cleaned { lost, kept, branch_kept, .. } = cleaned;
                return Ok(Done::CleanedUp { lost, kept, branch_kept });
            }
            Status::Initializing => {
                let mut progress = |progress: Progress<'_>| {
                    if let Progress::Step(step, _) = progress
                        && let Some(running) = self.works.lock().running.get_mut(&id)
                    {
                        running.step = Some(step);
                    }
                    let told = WorkProgress::of(progress);
                    self.works.tell(id, |news| news.progress = told);
                };
                workspaces::materialize(store, machine, id, &mut progress, cancel)?;
            }
            Status::Ready | Status::Failed | Status::Archived => {
                workspaces::move_branch(store, machine, id, cancel)?;
            }
        }
        Ok(Done::Row)
    }

    fn ended(&self, id: WorkspaceId, done: Result<Done, Failure>) {
        let mut state = self.works.lock();
        state.running.remove(&id);
        if let Err(failure) = &done
            && !state.leaving
        {
            tracing::error!(workspace = %id, %failure, "given up");
            state.given_up.insert(id);
        }
        let leaving = state.leaving;
        drop(state);
        if !leaving {
            self.works.tell(id, |news| news.done = Some(done));
        }
        self.works.ended.send_replace(());
        self.works.wake.notify_one();
    }
}
