use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify_debouncer_mini::notify::{Error, ErrorKind, RecursiveMode, Watcher};
use notify_debouncer_mini::{Config, DebounceEventResult, Debouncer, new_debouncer_opt};

use super::bell::Bell;
use super::changes::Changes;
use super::places::Places;

/// How long a change is waited on for others to come.
pub(super) const DEBOUNCE: Duration = Duration::from_millis(300);

/// A project that is being watched, until this is dropped.
pub(super) struct Armed {
    root: PathBuf,
    /// The root that was there: the device and the number of the folder.
    identity: Option<(u64, u64)>,
    _debouncer: Option<Debouncer<Changes>>,
    /// Why not all of it is watched.
    unwatched: Option<String>,
    /// Whether the system told that it no longer watches.
    broken: Arc<AtomicBool>,
}

impl Armed {
    /// Watches the places of the project at `root`; the bell rings when something changes there.
    pub(super) fn arm(root: &Path, places: Places, bell: Arc<Bell>) -> Self {
        let identity = identity(root);
        let broken = Arc::new(AtomicBool::new(false));
        let folders: Vec<PathBuf> = places.folders().map(Path::to_owned).collect();
        let failed = Arc::clone(&broken);
        let told = move |told: DebounceEventResult| match told {
            Ok(events) if events.iter().any(|event| places.concern(&event.path)) => bell.ring(),
            Ok(_) => {}
            Err(_) => failed.store(true, Ordering::SeqCst),
        };
        let config = Config::default().with_timeout(DEBOUNCE).with_batch_mode(false);
        let (debouncer, unwatched) = match new_debouncer_opt(config, told) {
            Ok(mut debouncer) => {
                let unwatched = add(debouncer.watcher(), &folders).err();
                (Some(debouncer), unwatched)
            }
            Err(error) => (None, Some(error)),
        };
        let unwatched = unwatched.map(|error| said(&error));
        Self { root: root.to_owned(), identity, _debouncer: debouncer, unwatched, broken }
    }

    /// Why changes may go unnoticed, if they may.
    pub(super) fn unwatched(&self) -> Option<&str> {
        self.unwatched.as_deref()
    }

    /// Whether every change is noticed. A root that went, or that another file system covers now, is
    /// not watched any more, and nobody tells.
    pub(super) fn is_complete(&self) -> bool {
        let watches = self.unwatched.is_none() && !self.broken.load(Ordering::SeqCst);
        watches && self.identity.is_some() && self.identity == identity(&self.root)
    }
}

/// Watches as many of the folders as it can; fails with the first error.
fn add(watcher: &mut dyn Watcher, folders: &[PathBuf]) -> Result<(), Error> {
    let mut first = Ok(());
    let mut paths = watcher.paths_mut();
    for folder in folders {
        match paths.add(folder, RecursiveMode::NonRecursive) {
            // It went since it was found, and that its own folder tells.
            Err(error) if is_absence(&error) => {}
            added => first = first.and(added),
        }
    }
    first.and(paths.commit())
}

fn identity(root: &Path) -> Option<(u64, u64)> {
    fs::metadata(root).ok().map(|found| (found.dev(), found.ino()))
}

fn is_absence(error: &Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

fn said(error: &Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "the system's limit of watched folders is reached".to_owned(),
        _ => error.to_string(),
    }
}
