use std::sync::Arc;

use rig_core::store::journal::{self, NEWEST};
use rig_core::store::{self, Cursor, Transact as _};

use super::error::Result;
use super::leader::blocking;
use super::leader::{Handle, Hold, Items, Session};
use crate::operations::{Event, Events, FollowEvents, Followed, ListEvents};

/// Events that are read in one transaction.
const PAGE: usize = 500;

impl Handle<ListEvents> for Session {
    fn handle(&self, asked: ListEvents) -> Result<Events> {
        let agent = self.caller.agent();
        let store = self.store();
        let mut page = match asked.after {
            None => store.read(|read| journal::newest(read, agent, NEWEST))?,
            Some(cursor) => {
                let cursor: Cursor = cursor.parse()?;
                store.read(|read| journal::after(read, &cursor, agent, PAGE))?
            }
        };
        let mut events = page.events;
        while page.more {
            page = store.read(|read| journal::after(read, &page.cursor, agent, PAGE))?;
            events.append(&mut page.events);
        }
        let events = events.into_iter().map(Event::from).collect();
        Ok(Events { events, cursor: page.cursor.to_string() })
    }
}

impl Hold<FollowEvents> for Session {
    async fn hold(self, asked: FollowEvents, items: Items) -> Result<Followed> {
        let mut committed = self.core.committed.subscribe();
        let mut after: Option<Cursor> = asked.after.map(|cursor| cursor.parse()).transpose()?;
        loop {
            let agent = self.caller.agent();
            let core = Arc::clone(&self.core);
            let from = after.clone();
            let page = blocking(move || {
                Ok(core.store.read(|read| match &from {
                    None => journal::newest(read, agent, NEWEST),
                    Some(cursor) => journal::after(read, cursor, agent, PAGE),
                })?)
            });
            let page = page.await?;
            for event in page.events {
                items.send(&Event::from(event)).await;
            }
            after = Some(page.cursor);
            if !page.more && committed.changed().await.is_err() {
                return Ok(Followed {});
            }
        }
    }
}

impl From<store::Event> for Event {
    fn from(event: store::Event) -> Self {
        Self {
            cursor: event.cursor.to_string(),
            id: event.id.to_string(),
            at: event.at.to_string(),
            kind: event.kind,
            about: event.about,
            agent_id: event.agent_id.map(|agent| agent.to_string()),
            data: event.data,
        }
    }
}
