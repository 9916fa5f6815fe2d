use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::concurrency::Failure;
use rig_core::config::{self, Config};
use rig_core::id::ProjectId;
use rig_git::sync::{self, SyncReport, Synced};

use super::armed::{Armed, DEBOUNCE};
use super::bell::Bell;
use super::places::Places;
use super::ready::{Ready, ReadyProject};

/// How often a watched project is looked at for what no watcher tells, without copying.
const LOOK: Duration = Duration::from_mins(1);

/// How often what cannot be watched is copied.
const POLL: Duration = Duration::from_secs(30);

/// One project that has ready workspaces.
pub(super) struct Project {
    pub(super) id: ProjectId,
    pub(super) ready: Ready,
    pub(super) user_config: Option<PathBuf>,
    pub(super) bell: Arc<Bell>,
    pub(super) cancel: Cancel,
    pub(super) watched: Mutex<Watched>,
}

/// What one look at a project leaves to the next.
#[derive(Default)]
pub(super) struct Watched {
    armed: Option<Armed>,
    /// What was warned of, so that it is not said again and again.
    warned: Vec<String>,
}

impl Project {
    /// Copies if there is reason to, and watches again; answers when to look next if nothing happens
    /// before.
    pub(super) fn look(&self) -> Result<Duration, Failure> {
        let before = self.take();
        let complete = before.armed.as_ref().is_some_and(Armed::is_complete);
        if complete && !self.bell.has_rung() {
            self.put(before);
            return Ok(LOOK);
        }
        drop(before.armed); // Disarmed: what copying does is not told.
        self.bell.has_rung();
        let Some(project) = self.found()? else { return Ok(LOOK) };
        let mut warnings = Vec::new();
        let (armed, missed) = self.round(&project, &mut warnings);
        warnings.extend(armed.unwatched().map(|why| {
            format!("not all sync files are watched, and are copied every 30 s instead: {why}")
        }));
        for warning in warnings.iter().filter(|warning| !before.warned.contains(warning)) {
            tracing::warn!(project = %project.root.display(), "{warning}");
        }
        let complete = armed.is_complete();
        self.put(Watched { armed: Some(armed), warned: warnings });
        Ok(match (missed, complete) {
            (true, _) => {
                self.bell.set();
                DEBOUNCE
            }
            (false, true) => LOOK,
            (false, false) => POLL,
        })
    }

    /// Reads the configuration, copies, and watches; answers also whether something changed that was
    /// looked at before and is watched since. A configuration that cannot be read copies nothing; its
    /// file is watched.
    fn round(&self, project: &ReadyProject, warnings: &mut Vec<String>) -> (Armed, bool) {
        let workspaces: Vec<PathBuf> =
            project.workspaces.iter().map(|(_, path)| path.clone()).collect();
        // Copying to a workspace is no change, wherever it lies.
        let places = |listed: &[PathBuf]| Places::of(&project.root, listed, &workspaces);
        let read = places(&[]).stamp();
        let configured = self.configured(&project.root);
        let listed = configured.as_ref().map_or(&[][..], |(_, listed)| listed);
        let found = places(listed);
        match &configured {
            Ok((config, _)) => {
                for workspace in &workspaces {
                    warnings.extend(self.copy(config, &project.root, workspace));
                }
            }
            Err(error) => warnings.push(format!("no sync files are copied: {error}")),
        }
        let copied = found.stamp();
        let armed = Armed::arm(&project.root, found, Arc::clone(&self.bell));
        (armed, places(&[]).stamp() != read || places(listed).stamp() != copied)
    }

    /// Makes a pass over one workspace; answers with what is to be warned of.
    fn copy(&self, config: &Config, root: &Path, workspace: &Path) -> Vec<String> {
        let report = match sync::pass(config, root, workspace, false, &self.cancel) {
            Ok(report) => report,
            // It goes as workspaces do, or the node does.
            Err(rig_git::Error::WorkspaceFolderMissing { .. } | rig_git::Error::Cancelled) => {
                SyncReport::default()
            }
            Err(error) => return vec![format!("{}: {error}", workspace.display())],
        };
        let failed = report.paths.into_iter().filter(|path| path.outcome == Synced::Failed);
        let warnings = failed.map(|path| {
            let at = workspace.join(&path.path);
            format!("cannot sync {}: {}", at.display(), path.reason.unwrap_or_default())
        });
        warnings.collect()
    }

    /// The configuration and the paths it lists.
    fn configured(&self, root: &Path) -> rig_git::Result<(Config, Vec<PathBuf>)> {
        let config = config::load(self.user_config.as_deref(), root)?;
        let listed = sync::listed(&config)?;
        Ok((config, listed))
    }

    fn found(&self) -> Result<Option<ReadyProject>, Failure> {
        Ok((self.ready)()?.into_iter().find(|project| project.id == self.id))
    }

    fn take(&self) -> Watched {
        std::mem::take(&mut *self.watched.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, watched: Watched) {
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = watched;
    }
}
