use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::concurrency::{
    Abort, AsyncLocks, Failure, Forever, GracefulShutdown, abort, async_locks, delay_or_abort,
    forever,
};
use rig_core::id::{ProjectId, WorkspaceId};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

use super::bell::Bell;
use super::project::{Project, Watched};
use super::ready::{Ready, ReadyProject};

/// How long it is at least from one look at what is ready to the next, however much is written to
/// the store.
const PAUSE: Duration = Duration::from_millis(200);

/// What is needed to watch.
pub(crate) struct Watching {
    /// Which projects have ready workspaces.
    pub(crate) ready: Ready,
    /// The user's configuration file.
    pub(crate) user_config: Option<PathBuf>,
    /// Where the loops are registered, and what ends them.
    pub(crate) shutdown: GracefulShutdown,
    /// To be notified when a workspace may have become ready or may be so no more.
    pub(crate) changed: Arc<Notify>,
}

/// Watches every project with a ready workspace until the shutdown.
pub(crate) async fn watch(watching: Watching) {
    let abort = abort();
    let options = Forever {
        abort: abort.clone(),
        shutdown: Some(watching.shutdown.clone()),
        wake: Arc::clone(&watching.changed),
        ..Forever::new("sync", Duration::MAX)
    };
    let watched = Arc::new(Projects {
        watching,
        running: Mutex::default(),
        turns: async_locks().named("sync of a project"),
    });
    let pass = move || {
        let (watched, abort) = (Arc::clone(&watched), abort.clone());
        async move {
            look(watched).await?;
            // The next pass finds out whether there is to be one.
            let _ = delay_or_abort(PAUSE, &abort).await;
            Ok::<_, Failure>(())
        }
    };
    forever(options, pass).await;
}

/// The projects that are watched.
struct Projects {
    watching: Watching,
    running: Mutex<BTreeMap<ProjectId, Running>>,
    /// A project that has no ready workspace and then has one again may still be in its last pass.
    turns: AsyncLocks<ProjectId>,
}

/// The loop of one project.
struct Running {
    workspaces: BTreeSet<WorkspaceId>,
    bell: Arc<Bell>,
    abort: Abort,
}

/// Begins to watch the projects that have ready workspaces now, ends with those that have none any
/// more, and has new workspaces copied to.
async fn look(projects: Arc<Projects>) -> Result<(), Failure> {
    let ready = Arc::clone(&projects.watching.ready);
    let found = spawn_blocking(move || ready()).await??;
    for begun in projects.changed(found) {
        tokio::spawn(Arc::clone(&projects).look_after(begun));
    }
    Ok(())
}

/// A project that is to be watched from now on.
struct Begun {
    project: ReadyProject,
    bell: Arc<Bell>,
    abort: Abort,
}

impl Projects {
    /// Compares what is watched with what is to be; answers with what is new.
    fn changed(&self, found: Vec<ReadyProject>) -> Vec<Begun> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|id, project| {
            let stays = found.iter().any(|found| found.id == *id);
            if !stays {
                project.abort.abort();
            }
            stays
        });
        let mut begun = Vec::new();
        for project in found {
            let workspaces = project.workspaces.iter().map(|(id, _)| *id).collect();
            if let Some(running) = running.get_mut(&project.id) {
                if !running.workspaces.is_superset(&workspaces) {
                    running.bell.ring();
                }
                running.workspaces = workspaces;
                continue;
            }
            let (bell, abort) = (Arc::new(Bell::default()), abort());
            let kept = Running { workspaces, bell: Arc::clone(&bell), abort: abort.clone() };
            running.insert(project.id, kept);
            begun.push(Begun { project, bell, abort });
        }
        begun
    }

    /// Watches one project until it is aborted.
    async fn look_after(self: Arc<Self>, begun: Begun) {
        let Begun { project, bell, abort } = begun;
        let options = Forever {
            shutdown: Some(self.watching.shutdown.clone()),
            wake: bell.wake(),
            abort: abort.clone(),
            ..Forever::new(&format!("sync of {}", project.root.display()), Duration::MAX)
        };
        let watched = Arc::new(Project {
            id: project.id,
            ready: Arc::clone(&self.watching.ready),
            user_config: self.watching.user_config.clone(),
            bell,
            cancel: Cancel::new().or_when(move || abort.is_aborted()),
            watched: Mutex::new(Watched::default()),
        });
        let pass = move || {
            let (turns, watched) = (self.turns.clone(), Arc::clone(&watched));
            async move {
                let work = || spawn_blocking(move || watched.look());
                turns.run_in_lock(project.id, work).await??
            }
        };
        forever(options, pass).await;
    }
}
