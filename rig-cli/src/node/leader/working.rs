use std::sync::Arc;
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::concurrency::{Failure as Ended, Forever, forever};
use rig_core::id::WorkspaceId;
use rig_core::store::Transact as _;
use rig_core::workspace::{Status, StepName, Workspace};
use rig_git::archive::Lost;
use rig_git::progress::Progress;
use rig_git::{projects, workspaces};

use super::core::Core;
use super::session::blocking;
use super::works::{CleanedUp, Done, Running, State};
use crate::node::error::Result;
use crate::operations::WorkProgress;
use crate::protocol::Failure;

/// Workspaces worked on at once.
const AT_ONCE: usize = 64;

/// Of these, workspaces of one project: whatever holds one up leaves room for the others.
const OF_A_PROJECT: usize = 16;

/// Of these, workspaces that an earlier leader left behind and nobody waits for.
const LEFT_OVER: usize = 4;

/// Folders that are looked at together.
const FOLDERS: usize = 50;

/// Whoever changes what is due wakes the loop; this is for what nobody told.
const NAP: Duration = Duration::from_hours(1);

impl Core {
    /// Looks after the work that is due, until the leader leaves.
    pub(super) fn start_works(self: &Arc<Self>) {
        let options = Forever {
            shutdown: Some(self.shutdown.clone()),
            wake: Arc::clone(&self.works.wake),
            on_error: Some(Box::new(|error, _| {
                let error = &**error as &dyn std::error::Error;
                tracing::error!(error, "cannot tell what is due");
            })),
            ..Forever::new("workspaces", NAP)
        };
        let core = Arc::clone(self);
        tokio::spawn(forever(options, move || {
            let core = Arc::clone(&core);
            blocking(move || core.take_up())
        }));
    }

    /// Starts the work that is due, as far as it is for this leader to do and there is room.
    fn take_up(self: &Arc<Self>) -> Result<()> {
        let mut due = self.store.read(workspaces::pending)?;
        let mut state = self.works.lock();
        if state.left_over.is_none() {
            state.left_over = Some(due.iter().map(|row| row.id).collect());
        }
        // What this process waits for comes first; it leaves when that is done.
        due.sort_by_key(|row| match state.wanted.get(&row.id) {
            Some(wanted) if wanted.own > 0 => 0,
            Some(_) => 1,
            None => 2,
        });
        let mut left_over = false;
        for row in due {
            if !self.is_for_us(&state, &row) {
                continue;
            }
            left_over |= is_left_over(&state, row.id);
            if has_room(&state, &row) {
                self.start(&mut state, &row);
            }
        }
        let look = self.role.stays() && !left_over && !state.looked;
        state.looked |= look;
        drop(state);
        if look { self.look_at_folders() } else { Ok(()) }
    }

    /// Whether this leader is to work on a row: one that stays works on all, another one on what its
    /// own command waits for, and meanwhile on what others wait for.
    fn is_for_us(&self, state: &State, row: &Workspace) -> bool {
        if state.given_up.contains(&row.id) || self.leaving.has_begun() {
            return false;
        }
        let own_waits = || state.wanted.values().any(|wanted| wanted.own > 0);
        self.role.stays() || state.wanted.contains_key(&row.id) && own_waits()
    }

    fn start(self: &Arc<Self>, state: &mut State, row: &Workspace) {
        let (id, status) = (row.id, row.status);
        let core = Arc::clone(self);
        let wind_down = move || async move {
            core.wind_down(id).await;
            Ok::<_, Ended>(())
        };
        // Once a shutdown has begun, nothing else does.
        let Ok(named) = self.shutdown.register(&format!("workspace {id}"), wind_down) else {
            return;
        };
        let cancel = Cancel::new();
        let running =
            Running { cancel: cancel.clone(), step: None, project: row.project, _named: named };
        state.running.insert(id, running);
        let core = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let done = core.carry_on(id, status, &cancel).map_err(Failure::from);
            core.ended(id, done);
        });
    }

    /// Does the work that is due for one workspace, whatever that is.
    fn carry_on(&self, id: WorkspaceId, status: Status, cancel: &Cancel) -> Result<Done> {
        let (store, machine) = (&self.store, self.machine()?);
        match status {
            Status::Archiving => {
                let mut report = |lost: &Lost| {
                    let lost = Some(lost.clone());
                    self.works.tell(id, |news| news.lost = lost);
                };
                let cleaned =
                    workspaces::clean_up_reporting(store, machine, id, &mut report, cancel)?;
                let workspaces::Cleaned { lost, kept, branch_kept, .. } = cleaned;
                return Ok(Done::CleanedUp(Box::new(CleanedUp { lost, kept, branch_kept })));
            }
            Status::Initializing => {
                let mut progress = |progress: Progress<'_>| self.goes_on(id, progress);
                workspaces::materialize(store, machine, id, &mut progress, cancel)?;
            }
            Status::Ready | Status::Failed | Status::Archived => {
                workspaces::move_branch(store, machine, id, cancel)?;
            }
        }
        Ok(Done::Row)
    }

    /// The work on a workspace goes on.
    fn goes_on(&self, id: WorkspaceId, progress: Progress<'_>) {
        let step = match progress {
            Progress::Step(step, _) => Some(Some(step)),
            // Whoever waits for a turn has nothing under way.
            Progress::Waiting => Some(None),
            _ => None,
        };
        if let Some(step) = step
            && let Some(running) = self.works.lock().running.get_mut(&id)
        {
            running.step = step;
            if self.leaving.has_begun() {
                running.cancel.cancel();
            }
        }
        let told = WorkProgress::of(progress);
        self.works.tell(id, |news| news.progress = told);
    }

    fn ended(&self, id: WorkspaceId, done: Result<Done, Failure>) {
        let mut state = self.works.lock();
        let stopped = state.running.remove(&id).is_none_or(|running| running.cancel.is_cancelled());
        if let Some(left_over) = &mut state.left_over {
            left_over.remove(&id);
        }
        // What was stopped, or was cut off by the end of the leader, did not fail.
        let over = stopped || self.leaving.has_begun();
        if let Err(failure) = &done
            && !over
        {
            tracing::error!(workspace = %id, %failure, "given up");
            state.given_up.insert(id);
        }
        drop(state);
        if done.is_ok() || !over {
            self.works.tell(id, |news| news.done = Some(done));
        }
        self.works.ended.send_replace(());
        self.works.wake.notify_one();
    }

    /// Ends the work on a workspace. A git that is checking out comes to its end by itself, and
    /// whoever leads next finds what it made; all else is told to stop, and waited for.
    async fn wind_down(&self, id: WorkspaceId) {
        let mut ended = self.works.ended.subscribe();
        loop {
            match self.works.lock().running.get(&id) {
                Some(running) if running.step != Some(StepName::Checkout) => {
                    running.cancel.cancel();
                }
                _ => return,
            }
            if ended.changed().await.is_err() {
                return;
            }
        }
    }

    /// Looks at the folders of all workspaces, once, after what was left over is done.
    fn look_at_folders(&self) -> Result<()> {
        for project in self.store.read(|read| projects::list(read, false))? {
            let rows = self.store.read(|read| workspaces::list(read, project.id, false))?;
            for rows in rows.chunks(FOLDERS) {
                if self.leaving.has_begun() {
                    return Ok(());
                }
                let machine = self.machine()?;
                let looks = workspaces::look(machine, rows);
                let seen: Vec<_> = rows.iter().cloned().zip(looks).collect();
                workspaces::keep_seen(&self.store, machine, &seen)?;
            }
        }
        Ok(())
    }
}

/// Whether a row was left behind by an earlier leader and nobody waits for it.
fn is_left_over(state: &State, id: WorkspaceId) -> bool {
    let left_over = state.left_over.as_ref().is_some_and(|left_over| left_over.contains(&id));
    left_over && !state.wanted.contains_key(&id)
}

/// Whether the work on a row may begin now.
fn has_room(state: &State, row: &Workspace) -> bool {
    let running = |which: &dyn Fn(&WorkspaceId, &Running) -> bool| {
        state.running.iter().filter(|(id, running)| which(id, running)).count()
    };
    !state.running.contains_key(&row.id)
        && state.running.len() < AT_ONCE
        && running(&|_, running| running.project == row.project) < OF_A_PROJECT
        && (!is_left_over(state, row.id) || running(&|id, _| is_left_over(state, *id)) < LEFT_OVER)
}
