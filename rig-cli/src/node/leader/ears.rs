use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rig_core::concurrency::{Forever, forever};
use rig_core::store::{Cursor, Transact as _, journal};
use tokio::sync::Notify;

use super::beat::UNTIL_WOKEN;
use super::core::Core;
use super::session::blocking;
use crate::node::error::Result;

/// Events that are read in one transaction.
const PAGE: usize = 500;

/// Who waits for events about something: however many wait, each is woken for its own only.
#[derive(Clone, Debug, Default)]
pub(super) struct Ears(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    number: u64,
    ears: HashMap<String, HashMap<u64, Arc<Notify>>>,
    /// The last event that was told; none while nobody listens.
    told: Option<Cursor>,
}

/// Is woken by events about something, from when it is made until it is dropped. One that comes
/// while nobody waits is kept.
#[derive(Debug)]
pub(in crate::node) struct Ear {
    ears: Ears,
    about: String,
    number: u64,
    woken: Arc<Notify>,
}

impl Ear {
    /// Waits for an event, which tells only to look again.
    pub(in crate::node) async fn woken(&self) {
        self.woken.notified().await;
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        let mut open = self.ears.lock();
        if let Some(ears) = open.ears.get_mut(&self.about) {
            ears.remove(&self.number);
            if ears.is_empty() {
                open.ears.remove(&self.about);
            }
        }
    }
}

impl Ears {
    fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn wake(&self, about: &str) {
        self.ears.get(about).into_iter().flat_map(HashMap::values).for_each(|ear| ear.notify_one());
    }

    fn wake_all(&self) {
        self.ears.values().flat_map(HashMap::values).for_each(|ear| ear.notify_one());
    }
}

impl Core {
    /// Listens for events about something, or that concern an agent, by its ID. Whoever looks after
    /// this misses none.
    pub(in crate::node) fn hear(&self, about: &impl Display) -> Ear {
        let (about, woken) = (about.to_string(), Arc::new(Notify::new()));
        let mut open = self.ears.lock();
        open.number += 1;
        let number = open.number;
        open.ears.entry(about.clone()).or_default().insert(number, Arc::clone(&woken));
        drop(open);
        Ear { ears: self.ears.clone(), about, number, woken }
    }

    /// Wakes those who wait for events, until the leader leaves.
    pub(super) fn start_telling(self: &Arc<Self>) {
        let options = Forever {
            shutdown: Some(self.shutdown.clone()),
            wake: Arc::clone(&self.events),
            ..Forever::new("events", UNTIL_WOKEN)
        };
        let core = Arc::clone(self);
        tokio::spawn(forever(options, move || {
            let core = Arc::clone(&core);
            async move {
                if core.nobody_listens() {
                    return Ok(());
                }
                blocking(move || core.tell()).await
            }
        }));
    }

    fn nobody_listens(&self) -> bool {
        let mut open = self.ears.lock();
        if open.ears.is_empty() {
            open.told = None;
        }
        open.ears.is_empty()
    }

    /// Wakes those who wait for what was committed since the last time.
    fn tell(&self) -> Result<()> {
        let told = self.ears.lock().told.take();
        let Some(mut told) = told else { return self.tell_all() };
        loop {
            let page = self.store.read(|read| journal::after(read, &told, None, PAGE));
            // Much happened meanwhile, and events were pruned: all look again.
            let Ok(page) = page else { return self.tell_all() };
            let mut open = self.ears.lock();
            for event in &page.events {
                event.about.iter().for_each(|about| open.wake(about));
                if let Some(agent) = &event.agent_id {
                    open.wake(&agent.to_string());
                }
            }
            told = page.cursor;
            if !page.more {
                open.told = Some(told);
                return Ok(());
            }
        }
    }

    /// Wakes all of them, and goes on from here.
    fn tell_all(&self) -> Result<()> {
        let here = self.store.read(journal::snapshot);
        let mut open = self.ears.lock();
        open.wake_all();
        open.told = Some(here?);
        Ok(())
    }
}
