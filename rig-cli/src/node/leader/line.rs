use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The place behind the leader: of the daemon that leads next. There is one.
#[derive(Debug, Default)]
pub(in crate::node) struct Line(Arc<Mutex<Option<Heir>>>);

#[derive(Debug)]
struct Heir {
    pid: u32,
    dismissed: Arc<Notify>,
}

impl Line {
    /// Takes the place for a process.
    ///
    /// # Errors
    ///
    /// The process that has it.
    pub(in crate::node) fn take(&self, pid: u32) -> Result<Place, u32> {
        let mut heir = lock(&self.0);
        if let Some(heir) = &*heir {
            return Err(heir.pid);
        }
        let dismissed = Arc::new(Notify::new());
        *heir = Some(Heir { pid, dismissed: Arc::clone(&dismissed) });
        Ok(Place { line: Arc::clone(&self.0), dismissed })
    }

    /// The process that has the place.
    pub(in crate::node) fn heir(&self) -> Option<u32> {
        lock(&self.0).as_ref().map(|heir| heir.pid)
    }

    /// Sends away whoever has the place; answers with its process.
    pub(in crate::node) fn dismiss(&self) -> Option<u32> {
        let heir = lock(&self.0);
        let heir = heir.as_ref()?;
        heir.dismissed.notify_one();
        Some(heir.pid)
    }
}

/// The place is taken, until this is dropped.
#[derive(Debug)]
pub(in crate::node) struct Place {
    line: Arc<Mutex<Option<Heir>>>,
    dismissed: Arc<Notify>,
}

impl Place {
    /// Waits until it is sent away.
    pub(in crate::node) async fn dismissed(&self) {
        self.dismissed.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *lock(&self.line) = None;
    }
}

fn lock(heir: &Mutex<Option<Heir>>) -> MutexGuard<'_, Option<Heir>> {
    // Nothing panics while it is held.
    heir.lock().unwrap_or_else(PoisonError::into_inner)
}
