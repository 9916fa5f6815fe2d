use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// What a loop is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopState {
    /// A pass runs.
    Running,
    /// It waits for the next pass.
    Sleeping,
    /// The last pass failed, and it waits to repeat it.
    BackingOff,
}

/// A [`forever`](super::forever) that has not returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoopStatus {
    /// Its name.
    pub name: String,
    /// What it is doing.
    pub state: LoopState,
    /// The passes that failed since the last one that did not.
    pub failures: u32,
    /// What the last failed pass failed with, and its causes; also once later passes succeeded.
    pub last_error: Option<String>,
}

/// The loops that have not returned, by name.
#[derive(Debug, Default)]
pub(super) struct Loops(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    number: u64,
    loops: BTreeMap<(String, u64), LoopStatus>,
}

impl Loops {
    /// Shows a loop, which is about to begin, until what is returned is dropped.
    pub(super) fn show(self: &Arc<Self>, name: &str) -> Shown {
        let mut seen = self.lock();
        seen.number += 1;
        let key = (name.to_owned(), seen.number);
        let (state, failures, last_error) = (LoopState::Sleeping, 0, None);
        let status = LoopStatus { name: name.to_owned(), state, failures, last_error };
        seen.loops.insert(key.clone(), status);
        drop(seen);
        Shown { loops: Arc::clone(self), key }
    }

    pub(super) fn list(&self) -> Vec<LoopStatus> {
        self.lock().loops.values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        // What is shown cannot be left half-written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One loop, as it is shown.
#[derive(Debug)]
pub(super) struct Shown {
    loops: Arc<Loops>,
    key: (String, u64),
}

impl Shown {
    pub(super) fn running(&self) {
        self.change(|status| status.state = LoopState::Running);
    }

    pub(super) fn sleeping(&self) {
        self.change(|status| status.state = LoopState::Sleeping);
    }

    pub(super) fn succeeded(&self) {
        self.change(|status| status.failures = 0);
    }

    pub(super) fn failed(&self, error: String) {
        self.change(|status| {
            status.state = LoopState::BackingOff;
            status.failures = status.failures.saturating_add(1);
            status.last_error = Some(error);
        });
    }

    fn change(&self, change: impl FnOnce(&mut LoopStatus)) {
        if let Some(status) = self.loops.lock().loops.get_mut(&self.key) {
            change(status);
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.loops.lock().loops.remove(&self.key);
    }
}
