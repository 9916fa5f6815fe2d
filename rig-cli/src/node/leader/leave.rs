use std::time::Duration;

use tokio::sync::watch;

use crate::protocol::Failure;

/// Why a leader leaves.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::node) enum Why {
    /// What it was for is done.
    Done,
    /// It was told to: by a signal, by `rig daemon stop`, or by a newer build.
    Told,
    /// It had nothing to do for long enough.
    Idle,
    /// The lock file is another one now, and so is who leads.
    LockLost,
    /// The store failed for good.
    Failed(Failure),
}

impl Why {
    /// How long short requests and background work are waited for.
    pub(super) fn limit(&self) -> Duration {
        match self {
            Self::Done => Duration::from_secs(2),
            _ => Duration::from_secs(10),
        }
    }
}

/// Whether a leader is leaving, and why. The first reason stays.
#[derive(Clone, Debug)]
pub(in crate::node) struct Leaving(watch::Sender<Option<Why>>);

impl Default for Leaving {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl Leaving {
    /// Makes the leader leave.
    pub(in crate::node) fn leave(&self, why: Why) {
        self.0.send_if_modified(|leaving| {
            let first = leaving.is_none();
            if first {
                *leaving = Some(why);
            }
            first
        });
    }

    /// Waits until the leader leaves.
    pub(in crate::node) async fn begun(&self) -> Why {
        let mut leaving = self.0.subscribe();
        let why = leaving.wait_for(Option::is_some).await;
        why.ok().and_then(|why| why.clone()).unwrap_or(Why::Done)
    }

    /// Whether the leader is leaving.
    pub(in crate::node) fn has_begun(&self) -> bool {
        self.0.borrow().is_some()
    }
}
