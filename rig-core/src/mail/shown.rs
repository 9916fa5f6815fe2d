use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::{Kind, Message};
use super::sender::Origin;
use crate::agent::{Relation, View};
use crate::id::{AgentId, MessageId};
use crate::name::Name;
use crate::path::RawPath;
use crate::time::Timestamp;

/// A message as its receiver is shown it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Its place in the mailbox.
    pub seq: u64,
    /// Its ID.
    pub id: MessageId,
    /// When it was committed.
    pub at: Timestamp,
    /// What it is.
    pub kind: Kind,
    /// Who it is from.
    pub from: From,
    /// The ID it is about.
    pub about: Option<String>,
    /// Structured content of Rig's own kinds.
    pub data: Option<Value>,
    /// The text, unchanged.
    pub body: String,
}

/// Who a message is from, as its receiver is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum From {
    /// An agent.
    Agent {
        /// Its ID.
        agent_id: AgentId,
        /// Its title when it sent.
        title: Option<Name>,
        /// What it was to the receiver.
        relation: Relation,
        /// Whether the receiver can see its folder.
        disk_shared: bool,
        /// Its folder when it sent, as the receiver sees it.
        path: Option<RawPath>,
    },
    /// The person.
    Person,
    /// Rig itself.
    Rig,
}

impl Message {
    /// The message as a receiver with this view of the disk is shown it.
    #[must_use]
    pub fn shown(&self, view: View<'_>) -> Shown {
        let from = match &self.from {
            Origin::Person => From::Person,
            Origin::Rig => From::Rig,
            Origin::Agent { agent_id, title, relation, disk, home, cwd } => {
                let path = view.folder(disk, *home, cwd.as_ref()).map(RawPath::from);
                From::Agent {
                    agent_id: *agent_id,
                    title: title.clone(),
                    relation: *relation,
                    disk_shared: path.is_some(),
                    path,
                }
            }
        };
        Shown {
            seq: self.seq,
            id: self.id,
            at: self.at,
            kind: self.kind,
            from,
            about: self.about.clone(),
            data: self.data.clone(),
            body: self.body.as_str().to_owned(),
        }
    }
}
