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
    /// How long short requests are waited for, and what was due is gone on with.
    pub(super) fn limit(&self) -> Duration {
        match self {
            Self::Done => Duration::from_secs(2),
            _ => Duration::from_secs(10),
        }
    }
}

/// How far a leader's end is.
#[derive(Clone, Debug, PartialEq)]
enum Stage {
    Leads,
    /// It takes no more requests.
    Leaves(Why),
    /// Whoever waits is to ask the next leader.
    HandsOver(Why),
}

/// Whether a leader is leaving, and why. The first reason stays.
#[derive(Clone, Debug)]
pub(in crate::node) struct Leaving(watch::Sender<Stage>);

impl Default for Leaving {
    fn default() -> Self {
        Self(watch::Sender::new(Stage::Leads))
    }
}

impl Leaving {
    /// Makes the leader leave.
    pub(in crate::node) fn leave(&self, why: Why) {
        self.0.send_if_modified(|stage| {
            let first = *stage == Stage::Leads;
            if first {
                *stage = Stage::Leaves(why);
            }
            first
        });
    }

    /// Waits until the leader leaves.
    pub(in crate::node) async fn begun(&self) -> Why {
        let mut stages = self.0.subscribe();
        match stages.wait_for(|stage| *stage != Stage::Leads).await.as_deref() {
            Ok(Stage::Leaves(why) | Stage::HandsOver(why)) => why.clone(),
            Ok(Stage::Leads) | Err(_) => Why::Done,
        }
    }

    /// Whether the leader is leaving.
    pub(in crate::node) fn has_begun(&self) -> bool {
        *self.0.borrow() != Stage::Leads
    }

    /// Hands over what has no answer yet.
    pub(super) fn hand_over(&self) {
        self.0.send_modify(|stage| {
            if let Stage::Leaves(why) = stage {
                *stage = Stage::HandsOver(why.clone());
            }
        });
    }

    /// Waits until what has no answer is to be handed over.
    pub(super) async fn handing_over(&self) {
        let mut stages = self.0.subscribe();
        let _ = stages.wait_for(|stage| matches!(stage, Stage::HandsOver(_))).await;
    }
}
