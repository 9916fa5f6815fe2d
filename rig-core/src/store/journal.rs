//! The event journal. (First form: the store's own change replaces it.)

use serde::Serialize;

use super::Read as _;
use super::error::{Error, Result};
use super::table::{Record, Table};
use super::tx::Tx;
use crate::id::{AgentId, EventId};
use crate::time::Timestamp;

/// An event of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Its ID.
    pub id: EventId,
    /// When it happened.
    pub at: Timestamp,
    /// What happened, such as `workspace.ready`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The IDs of the things it is about.
    pub about: Vec<String>,
    /// The agent it concerns.
    pub agent_id: Option<AgentId>,
    /// The thing as it then is.
    pub data: serde_json::Value,
}

impl Record for Event {}

const JOURNAL: Table<u64, Event> = Table::new("core/journal");

impl Tx<'_> {
    /// Appends an event to the journal, in this transaction. `data` never holds a message's body,
    /// an answer or a token.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn event(
        &self,
        kind: &'static str,
        about: &[&dyn std::fmt::Display],
        agent: Option<AgentId>,
        data: &impl Serialize,
    ) -> Result<()> {
        use std::ops::Bound::Unbounded;
        let last = self.raw_page(JOURNAL.name(), (Unbounded, Unbounded), 1, true)?;
        let next = match last.first() {
            Some((key, _)) => {
                u64::from_be_bytes(key.as_slice().try_into().map_err(Error::internal)?) + 1
            }
            None => 1,
        };
        let event = Event {
            id: EventId::generate(self.now()),
            at: self.now(),
            kind: kind.to_owned(),
            about: about.iter().map(ToString::to_string).collect(),
            agent_id: agent,
            data: serde_json::to_value(data).map_err(Error::internal)?,
        };
        self.put(JOURNAL, &next, &event)
    }
}
