use std::path::Path;

use notify_debouncer_mini::notify::event::{AccessKind, AccessMode};
use notify_debouncer_mini::notify::{
    Config, Event, EventHandler, EventKind, PathsMut, RecommendedWatcher, RecursiveMode, Result,
    Watcher, WatcherKind,
};

/// The system's watcher without what changes nothing: that a file is read is told as well, and
/// copying reads them all.
#[derive(Debug)]
pub(super) struct Changes(RecommendedWatcher);

impl Watcher for Changes {
    fn new<F: EventHandler>(mut handler: F, config: Config) -> Result<Self> {
        let told = move |event: Result<Event>| match event {
            Ok(event) if is_read(event.kind) => {}
            Ok(mut event) if event.need_rescan() => {
                // Some were lost, so anything may have changed. Without a path it would be dropped.
                event.paths = vec![ANYTHING.into()];
                handler.handle_event(Ok(event));
            }
            event => handler.handle_event(event),
        };
        RecommendedWatcher::new(told, config).map(Self)
    }

    fn watch(&mut self, path: &Path, recursive_mode: RecursiveMode) -> Result<()> {
        self.0.watch(path, recursive_mode)
    }

    fn unwatch(&mut self, path: &Path) -> Result<()> {
        self.0.unwatch(path)
    }

    fn paths_mut<'me>(&'me mut self) -> Box<dyn PathsMut + 'me> {
        self.0.paths_mut()
    }

    fn kind() -> WatcherKind {
        RecommendedWatcher::kind()
    }
}

/// The path of an event that may concern every place.
const ANYTHING: &str = "";

/// Whether an event may concern every place.
pub(super) fn is_anything(path: &Path) -> bool {
    path == Path::new(ANYTHING)
}

fn is_read(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}
