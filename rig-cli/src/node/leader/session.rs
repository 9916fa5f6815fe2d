use std::future::Future;
use std::sync::Arc;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::store::Store;
use rig_git::Machine;
use serde::Serialize;
use tokio::sync::mpsc::Sender;

use super::core::Core;
use crate::node::error::{Error, Result};
use crate::operations::Operation;
use crate::protocol::{self, Answer, Failure};

/// One client of the leader.
#[derive(Clone, Debug)]
pub(in crate::node) struct Session {
    pub(in crate::node) core: Arc<Core>,
    /// Who is calling.
    pub(in crate::node) caller: Caller,
    /// Whether that is the process that leads.
    pub(in crate::node) own: bool,
    /// The client's build.
    pub(in crate::node) build: String,
    /// The name of the client's view of the disk.
    pub(in crate::node) disk: Option<String>,
    /// Set once nobody waits for the answer any more.
    pub(in crate::node) cancel: Cancel,
}

/// What carries out an operation that is done at once; it may block.
pub(in crate::node) trait Handle<O: Operation> {
    /// Carries the operation out.
    fn handle(&self, operation: O) -> Result<O::Reply>;
}

/// What carries out an operation that may wait: it never keeps a leader, and whoever asked for it
/// asks the next leader again.
pub(in crate::node) trait Hold<O: Operation> {
    /// Carries the operation out, and sends what there is to tell meanwhile.
    fn hold(self, operation: O, items: Items) -> impl Future<Output = Result<O::Reply>> + Send;
}

/// Where parts of a stream are sent.
#[derive(Debug)]
pub(in crate::node) struct Items {
    pub(super) id: u64,
    pub(super) answers: Sender<Vec<u8>>,
}

impl Items {
    /// Sends a part, as soon as the client took what came before.
    pub(in crate::node) async fn send(&self, item: &(impl Serialize + Sync)) {
        let Ok(item) = serde_json::value::to_raw_value(item) else { return };
        if let Ok(frame) = protocol::encode(&Answer { item: Some(item), ..Answer::to(self.id) }) {
            // A client that went away needs no more of it.
            let _ = self.answers.send(frame).await;
        }
    }
}

impl Session {
    pub(in crate::node) fn store(&self) -> &Store {
        &self.core.store
    }

    pub(in crate::node) fn machine(&self) -> Result<&Machine> {
        self.core.machine()
    }
}

/// What `work` returns, on a thread that may block.
pub(in crate::node) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panic| Err(Error::Failed(Failure::of("internal", &panic))))
}
