use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::core::Core;
use super::leave::Why;
use super::session::blocking;

impl Core {
    /// Leaves once there was neither a connection nor pending work for this long.
    pub(super) async fn end_when_idle(self: Arc<Self>, after: Duration) {
        let mut connections = self.connections.subscribe();
        let mut committed = self.committed.subscribe();
        let mut worked = self.works.changes();
        loop {
            let idle = *connections.borrow_and_update() == 0 && self.has_no_work().await;
            let changed = async {
                tokio::select! {
                    _ = connections.changed() => {}
                    _ = committed.changed() => {}
                    _ = worked.changed() => {}
                    _ = self.leaving.begun() => {}
                }
            };
            if !idle {
                changed.await;
            } else if timeout(after, changed).await.is_err() {
                self.leaving.leave(Why::Idle);
            }
            if self.leaving.has_begun() {
                return;
            }
        }
    }

    async fn has_no_work(self: &Arc<Self>) -> bool {
        let core = Arc::clone(self);
        match blocking(move || core.pending()).await {
            Ok(pending) => pending.is_empty(),
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "cannot tell what is due"
                );
                false
            }
        }
    }
}
