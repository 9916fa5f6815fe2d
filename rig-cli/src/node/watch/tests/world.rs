use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use notify_debouncer_mini::notify::{
    RecommendedWatcher, RecursiveMode, Watcher as _, recommended_watcher,
};
use rig_core::concurrency::{GracefulShutdown, SHUTDOWN_LIMIT, abort, graceful_shutdown};
use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::time::Timestamp;
use tempfile::TempDir;
use tokio::runtime::Builder;
use tokio::sync::Notify;

use super::super::ready::{Ready, ReadyProject};
use super::super::{Watching, watch};

/// Longer than anything takes that is not stuck.
const PATIENCE: Duration = Duration::from_secs(20);

/// Projects with workspaces that are plain folders.
pub(super) struct World {
    pub(super) folder: PathBuf,
    pub(super) shutdown: GracefulShutdown,
    ready: Arc<Mutex<Vec<ReadyProject>>>,
    changed: Arc<Notify>,
    seen: Receiver<()>,
    watched: Option<JoinHandle<()>>,
    _watcher: RecommendedWatcher,
    _folder: TempDir,
}

impl World {
    pub(super) fn new() -> Self {
        let kept = TempDir::new().unwrap();
        let folder = kept.path().canonicalize().unwrap();
        fs::create_dir(folder.join("workspaces")).unwrap();
        let (saw, seen) = mpsc::channel();
        let mut watcher = recommended_watcher(move |_| {
            let _ = saw.send(());
        })
        .unwrap();
        watcher.watch(&folder.join("workspaces"), RecursiveMode::Recursive).unwrap();
        Self {
            folder,
            shutdown: graceful_shutdown(abort()),
            ready: Arc::default(),
            changed: Arc::default(),
            seen,
            watched: None,
            _watcher: watcher,
            _folder: kept,
        }
    }

    /// A project that syncs these, with so many ready workspaces.
    pub(super) fn project(&self, name: &str, sync: &[&str], workspaces: usize) -> ReadyProject {
        let root = self.folder.join(name);
        fs::create_dir(&root).unwrap();
        let id = ProjectId::generate(Timestamp::default());
        let mut project = ReadyProject { id, root, workspaces: Vec::new() };
        configure(&project, sync);
        (0..workspaces).for_each(|number| self.workspace(&mut project, name, number));
        project
    }

    pub(super) fn workspace(&self, project: &mut ReadyProject, name: &str, number: usize) {
        let path = self.folder.join(format!("workspaces/{name} {number}"));
        fs::create_dir(&path).unwrap();
        project.workspaces.push((WorkspaceId::generate(Timestamp::default()), path));
    }

    pub(super) fn ready(&self) -> Ready {
        let ready = Arc::clone(&self.ready);
        Arc::new(move || Ok(ready.lock().unwrap().clone()))
    }

    /// These projects have ready workspaces, and no others.
    pub(super) fn are_ready(&self, projects: &[&ReadyProject]) {
        *self.ready.lock().unwrap() = projects.iter().map(|&project| project.clone()).collect();
        self.changed.notify_one();
    }

    /// Watches as a node does.
    pub(super) fn watch(&mut self) {
        let (ready, shutdown) = (self.ready(), self.shutdown.clone());
        let changed = Arc::clone(&self.changed);
        let watching = Watching { ready, user_config: None, shutdown, changed };
        self.watched = Some(thread::spawn(|| {
            let runtime = Builder::new_current_thread().enable_time().build().unwrap();
            runtime.block_on(watch(watching));
        }));
    }

    /// Waits until a file below each workspace of a project has this content.
    pub(super) fn until(&self, project: &ReadyProject, path: &str, content: &str) {
        let deadline = Instant::now() + PATIENCE;
        let has = |(_, workspace): &(WorkspaceId, PathBuf)| {
            fs::read_to_string(workspace.join(path)).is_ok_and(|there| there == content)
        };
        while !project.workspaces.iter().all(has) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(self.seen.recv_timeout(left).is_ok(), "{path} never became {content:?}");
        }
    }

    pub(super) fn end(mut self) {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        let report = runtime.block_on(self.shutdown.shutdown(SHUTDOWN_LIMIT));
        assert!(report.timed_out.is_empty() && report.failed.is_empty(), "{report:?}");
        self.watched.take().unwrap().join().unwrap();
    }
}

pub(super) fn configure(project: &ReadyProject, sync: &[&str]) {
    write(project, "rig.toml", &format!("[workspace]\nsync = {sync:?}\n"));
}

/// Replaces a file as editors do.
pub(super) fn write(project: &ReadyProject, path: &str, content: &str) {
    let path = project.root.join(path);
    let beside = path.with_extension("new");
    fs::write(&beside, content).unwrap();
    fs::rename(beside, path).unwrap();
}

pub(super) fn read(project: &ReadyProject, path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(project.workspaces[0].1.join(path)).ok()
}
