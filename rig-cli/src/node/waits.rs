//! Waits: started in one transaction, and then waited for outside of any.

use std::time::Duration;

use rig_core::call_key::CallKey;
use rig_core::clock::Now;
use rig_core::id::WaitId;
use rig_core::store::Transact as _;
use rig_sched::parse::{self, Time};
use rig_sched::waits::{self, NewWait};
use rig_sched::{MAX_WAIT, Sched};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::error::{Error, Result};
use super::leader::{Handle, Hold, Items, Session, blocking};
use crate::operations::{AwaitWait, CancelledWait, Wait, WaitCancel, WaitReply, WaitUntil};

/// What both kinds of waits are started with.
struct Start {
    time: Time,
    requested: Value,
    id: Option<String>,
    key: Option<CallKey>,
    seen: Option<u64>,
}

impl Session {
    fn start(&self, now: Now, start: Start) -> Result<WaitId> {
        let Start { time, requested, id, key, seen } = start;
        let id = id.as_deref().map(wait_id).transpose()?;
        let (new, caller) = (NewWait { id, key, time, requested, seen }, self.caller);
        let wait = self.store().write(move |tx| waits::start(tx, now, caller, &new))?;
        self.core.due_changed();
        Ok(wait.id)
    }

    /// Starts a wait and waits for its end, or as long as the answer may be held.
    async fn start_and_hold(
        self,
        start: impl FnOnce(&Self) -> Result<WaitId> + Send + 'static,
        hold_ms: Option<u64>,
    ) -> Result<WaitReply> {
        let until = until(hold_ms);
        let session = self.clone();
        let id = blocking(move || start(&session)).await?;
        self.ended(id, until).await
    }

    /// How a wait ended, once it has; or that it goes on, once the answer is held for long enough.
    async fn ended(self, id: WaitId, until: Option<Instant>) -> Result<WaitReply> {
        let ear = self.core.hear(&id);
        let mut held_on = true;
        loop {
            let session = self.clone();
            let look = blocking(move || {
                let wait = Sched(session.store()).wait(session.caller, id)?;
                Ok(wait.outcome().ok_or_else(|| wait.waiting(session.now())))
            });
            match look.await? {
                Ok(outcome) => return Ok(WaitReply::Ended(outcome)),
                Err(waiting) if !held_on => return Ok(WaitReply::Waiting(waiting)),
                Err(_) => {}
            }
            held_on = tokio::select! {
                () = ear.woken() => true,
                () = over(until) => false,
            };
        }
    }
}

/// When the answer is held no longer; none if it is held for as long as it takes.
fn until(hold_ms: Option<u64>) -> Option<Instant> {
    hold_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms)))
}

async fn over(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}

fn wait_id(text: &str) -> Result<WaitId> {
    text.parse().map_err(Error::BadId)
}

impl Hold<Wait> for Session {
    async fn hold(self, asked: Wait, _items: Items) -> Result<WaitReply> {
        let hold_ms = asked.hold_ms;
        let start = move |session: &Self| {
            let now = session.now();
            // Its limit is checked once it is known that it is no repetition.
            let length = parse::duration(asked.length(), Duration::MAX)
                .map_err(|error| rig_sched::Error::of_wait(error, now.wall))?;
            let requested = json!(asked.length());
            let Wait { wait_id: id, key, seen, .. } = asked;
            session.start(now, Start { time: Time::After(length), requested, id, key, seen })
        };
        self.start_and_hold(start, hold_ms).await
    }
}

impl Hold<WaitUntil> for Session {
    async fn hold(self, asked: WaitUntil, _items: Items) -> Result<WaitReply> {
        let hold_ms = asked.hold_ms;
        let start = move |session: &Self| {
            let now = session.now();
            let at = parse::instant(&asked.at, now.wall, MAX_WAIT)
                .map_err(|error| rig_sched::Error::of_wait(error, now.wall))?;
            let requested = json!({ "at": asked.at });
            let WaitUntil { wait_id: id, key, seen, .. } = asked;
            session.start(now, Start { time: Time::At(at), requested, id, key, seen })
        };
        self.start_and_hold(start, hold_ms).await
    }
}

impl Hold<AwaitWait> for Session {
    async fn hold(self, asked: AwaitWait, _items: Items) -> Result<WaitReply> {
        let until = until(asked.hold_ms);
        let id = wait_id(&asked.wait_id)?;
        self.ended(id, until).await
    }
}

impl Handle<WaitCancel> for Session {
    fn handle(&self, asked: WaitCancel) -> Result<CancelledWait> {
        let id = wait_id(&asked.wait_id)?;
        let waits::Cancelled { wait, cancelled } =
            Sched(self.store()).cancel_wait(self.caller, id)?;
        self.core.due_changed();
        let result = wait.outcome().ok_or_else(|| {
            Error::Failed(crate::protocol::Failure::new("internal", "the wait has not ended"))
        })?;
        Ok(CancelledWait { wait_id: wait.id, cancelled, result })
    }
}
