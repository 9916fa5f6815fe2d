//! Messages for later.

use rig_core::clock::Now;
use rig_core::id::ScheduleId;
use rig_core::mail::Body;
use rig_core::store::Transact as _;
use rig_core::time::Timestamp;
use rig_sched::messages::{self, NewMessage};
use rig_sched::parse::{self, TimeInput};
use rig_sched::{HORIZON, Sched};
use serde_json::{Map, Value, json};

use super::error::{Error, Result};
use super::leader::{Handle, Session};
use crate::operations::{
    CancelScheduled, CancelledScheduled, ListScheduled, RetryScheduled, ScheduleMessage, Scheduled,
    ScheduledItem, ScheduledList, ShowScheduled,
};
use crate::protocol::Failure;

fn schedule_id(text: &str) -> Result<ScheduleId> {
    text.parse().map_err(Error::BadId)
}

impl Handle<ScheduleMessage> for Session {
    fn handle(&self, asked: ScheduleMessage) -> Result<Scheduled> {
        let now = Now::read(self.store().clock());
        let refused = |error| rig_sched::Error::of_schedule(error, now.wall);
        // The limits are checked once it is known that it is no repetition.
        let given = asked.time();
        let time = match &given.at {
            Some(_) => parse::time(&given, now.wall, HORIZON),
            None => parse::time(&given, now.wall, std::time::Duration::MAX),
        }
        .map_err(refused)?;
        let expires_after = asked.expires_after.as_deref();
        let expires_after = expires_after
            .map(|text| parse::duration(text, std::time::Duration::MAX).map_err(refused))
            .transpose()?;
        let new = NewMessage {
            id: asked.id.as_deref().map(schedule_id).transpose()?,
            key: asked.key.clone(),
            target: asked.agent_id.parse().map_err(Error::BadId)?,
            requested: requested(&given, asked.expires_after.as_deref()),
            body: Body::new(asked.message)?,
            time,
            expires_after,
        };
        let caller = self.caller;
        let message = self.store().write(move |tx| messages::schedule(tx, now, caller, &new))?;
        self.core.due_changed();
        Ok(message.reply().into())
    }
}

/// The times of the request as they were given.
fn requested(time: &TimeInput<'_>, expires_after: Option<&str>) -> Value {
    let mut requested = match json!(time.delay) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    if let Some(at) = &time.at {
        requested.insert("at".to_owned(), json!(at));
    }
    if let Some(after) = expires_after {
        requested.insert("expires_after".to_owned(), json!(after));
    }
    Value::Object(requested)
}

impl Handle<ListScheduled> for Session {
    fn handle(&self, asked: ListScheduled) -> Result<ScheduledList> {
        let after = asked.after.as_deref().map(place).transpose()?;
        let list = Sched(self.store()).messages(self.caller, asked.all, after)?;
        Ok(ScheduledList {
            items: list.items.into_iter().map(ScheduledItem::from).collect(),
            cursor: list.cursor.to_string(),
            next: list.next.map(|(at, id)| format!("{}-{id}", at.as_millis())),
        })
    }
}

/// Where a page ended.
fn place(next: &str) -> Result<(Timestamp, ScheduleId)> {
    let place = next
        .rsplit_once('-')
        .and_then(|(at, id)| Some((Timestamp::from_millis(at.parse().ok()?)?, id.parse().ok()?)));
    place.ok_or_else(|| {
        let message = format!("`after` is no `next` of a page: {next:?}");
        Error::Failed(Failure::new("bad_request", message))
    })
}

impl Handle<ShowScheduled> for Session {
    fn handle(&self, asked: ShowScheduled) -> Result<ScheduledItem> {
        let id = schedule_id(&asked.id)?;
        Ok(Sched(self.store()).message(self.caller, id)?.into())
    }
}

impl Handle<CancelScheduled> for Session {
    fn handle(&self, asked: CancelScheduled) -> Result<CancelledScheduled> {
        let id = schedule_id(&asked.id)?;
        let cancelled = Sched(self.store()).cancel_message(self.caller, id)?;
        self.core.due_changed();
        Ok(cancelled.reply().into())
    }
}

impl Handle<RetryScheduled> for Session {
    fn handle(&self, asked: RetryScheduled) -> Result<Scheduled> {
        let id = schedule_id(&asked.id)?;
        let message = Sched(self.store()).retry_message(self.caller, id)?;
        self.core.due_changed();
        Ok(message.reply().into())
    }
}
