use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rig_core::caller::Caller;
use rig_core::id::AgentId;

/// Which agents have a process that is connected.
#[derive(Clone, Debug, Default)]
pub(in crate::node) struct Present(Arc<Mutex<HashMap<AgentId, usize>>>);

/// A caller is connected until this is dropped.
pub(super) struct Connected {
    present: Present,
    agent: Option<AgentId>,
}

impl Present {
    /// Counts a connection of a caller.
    pub(super) fn connected(&self, caller: Caller) -> Connected {
        let agent = caller.agent();
        if let Some(agent) = agent {
            *self.lock().entry(agent).or_default() += 1;
        }
        Connected { present: self.clone(), agent }
    }

    /// Whether this agent has more connections than so many.
    pub(in crate::node) fn is_present(&self, agent: AgentId, besides: usize) -> bool {
        self.lock().get(&agent).is_some_and(|count| *count > besides)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, usize>> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let Some(agent) = self.agent else { return };
        let mut counts = self.present.lock();
        if let Some(count) = counts.get_mut(&agent) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&agent);
            }
        }
    }
}
