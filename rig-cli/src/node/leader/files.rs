use std::os::unix::net::UnixListener;
use std::sync::Arc;

use rig_core::concurrency::{Forever, GracefulShutdown, forever};
use tokio::sync::mpsc::Sender;

use super::beat::{Beat, UNTIL_WOKEN};
use super::bound::Bound;
use super::leave::{Leaving, Why};
use crate::node::error::Result;
use crate::node::lock::LockFile;

/// What a leader that goes on needs to stay where others find it.
#[derive(Clone)]
pub(super) struct Files {
    pub(super) lock: Arc<LockFile>,
    pub(super) bound: Arc<Bound>,
    pub(super) leaving: Leaving,
    /// Takes the listener of a socket that had to be bound again.
    pub(super) listeners: Sender<UnixListener>,
}

impl Files {
    /// Looks after them with each beat, until `shutdown`.
    pub(super) fn watch(self, beat: &Beat, shutdown: &GracefulShutdown) {
        let options = Forever {
            shutdown: Some(shutdown.clone()),
            // What is there now was made a moment ago.
            delay_first: true,
            wake: Arc::clone(&beat.files),
            on_error: Some(Box::new(|error, _| {
                tracing::error!(error = &**error as &dyn std::error::Error, "the socket is gone");
            })),
            ..Forever::new("files", UNTIL_WOKEN)
        };
        tokio::spawn(forever(options, move || {
            let files = self.clone();
            async move { files.look().await }
        }));
    }

    async fn look(&self) -> Result<()> {
        if !self.lock.is_in_place() {
            self.leaving.leave(Why::LockLost);
        } else if !self.bound.is_in_place() {
            // If nobody takes it, the leader is leaving.
            let _ = self.listeners.send(self.bound.again()?).await;
        }
        Ok(())
    }
}
