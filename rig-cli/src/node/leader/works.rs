use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rig_core::cancel::Cancel;
use rig_core::concurrency::Registered;
use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::workspace::StepName;
use rig_git::archive::Lost;
use tokio::sync::{Notify, watch};

use super::core::Core;
use crate::operations::WorkProgress;
use crate::protocol::Failure;

/// The work on workspaces: each one that is due is worked on by one thread of the leader.
#[derive(Debug, Default)]
pub(in crate::node) struct Works {
    state: Mutex<State>,
    /// Something is due, wanted or done.
    pub(super) wake: Arc<Notify>,
    /// Changes when a work ends.
    pub(super) ended: watch::Sender<()>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) running: HashMap<WorkspaceId, Running>,
    pub(super) wanted: HashMap<WorkspaceId, Wanted>,
    /// Those whose work failed here; nobody tries again before somebody asks.
    pub(super) given_up: HashSet<WorkspaceId>,
    /// What was due when this process began to lead.
    pub(super) left_over: Option<HashSet<WorkspaceId>>,
    /// Whether the folders of all workspaces were looked at.
    pub(super) looked: bool,
}

#[derive(Debug)]
pub(super) struct Running {
    pub(super) cancel: Cancel,
    pub(super) step: Option<StepName>,
    pub(super) project: ProjectId,
    /// What a shutdown waits for.
    pub(super) _named: Registered,
}

/// Who waits for a workspace.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Requests of this process.
    pub(super) own: usize,
    /// Requests of others.
    others: usize,
    pub(super) news: watch::Sender<News>,
}

/// How the work on a workspace goes on.
#[derive(Clone, Debug, Default)]
pub(in crate::node) struct News {
    /// What is worth showing.
    pub(in crate::node) progress: Option<WorkProgress>,
    /// What the folder of an archived one holds.
    pub(in crate::node) lost: Option<Lost>,
    /// What the work ended with.
    pub(in crate::node) done: Option<Result<Done, Failure>>,
}

/// What came of the work on a workspace.
#[derive(Clone, Debug)]
pub(in crate::node) enum Done {
    /// Its row tells.
    Row,
    /// It was cleaned up after it was archived.
    CleanedUp(Box<CleanedUp>),
}

/// What a cleanup found and left.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::node) struct CleanedUp {
    /// What the folder held, if that could be told.
    pub(in crate::node) lost: Option<Lost>,
    /// Why the folder was kept, if it was.
    pub(in crate::node) kept: Option<String>,
    /// Why the branch was kept, if it was to be deleted.
    pub(in crate::node) branch_kept: Option<String>,
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
        let again = state.given_up.remove(&id);
        let wanted = state.wanted.entry(id).or_default();
        *(if own { &mut wanted.own } else { &mut wanted.others }) += 1;
        if again {
            wanted.news.send_modify(|news| news.done = None);
        }
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
        // Its row is another one now.
        self.tell(id, |news| news.done = None);
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

    /// Whether no workspace is worked on.
    pub(super) fn is_idle(&self) -> bool {
        self.lock().running.is_empty()
    }

    /// Tells when the work on a workspace ends.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.ended.subscribe()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whoever waits for a workspace.
    pub(super) fn tell(&self, id: WorkspaceId, change: impl FnOnce(&mut News)) {
        if let Some(wanted) = self.lock().wanted.get(&id) {
            wanted.news.send_modify(change);
        }
    }
}
