use rig_core::store::journal::{self, NEWEST};
use rig_core::store::{self, Cursor, Transact as _};

use super::error::Result;
use super::open::{Handle, Node};
use crate::operations::{Event, Events, ListEvents};

/// Events that are read in one transaction.
const PAGE: usize = 500;

impl Handle<ListEvents> for Node {
    fn handle(&self, asked: ListEvents) -> Result<Events> {
        let agent = self.caller.agent();
        let store = self.store()?;
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
