use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::agent::{Agent, Relation};
use crate::caller::Caller;
use crate::id::{AgentId, WorkspaceId};
use crate::name::Name;
use crate::path::RawPath;
use crate::store::Key;

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The person.
    Person,
    /// Rig itself.
    Rig,
    /// An agent.
    Agent(AgentId),
}

impl From<Caller> for Sender {
    fn from(caller: Caller) -> Self {
        match caller {
            Caller::Person => Self::Person,
            Caller::Agent(agent) => Self::Agent(agent),
        }
    }
}

impl Sender {
    /// The agent, if it is one.
    #[must_use]
    pub fn agent(self) -> Option<AgentId> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Person | Self::Rig => None,
        }
    }
}

/// The person, then Rig, then all agents.
impl Key for Sender {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Person => out.push(0),
            Self::Rig => out.push(1),
            Self::Agent(agent) => {
                out.push(2);
                agent.encode(out);
            }
        }
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        let (&kind, rest) = input.split_first()?;
        *input = rest;
        match kind {
            0 => Some(Self::Person),
            1 => Some(Self::Rig),
            2 => AgentId::decode(input).map(Self::Agent),
            _ => None,
        }
    }
}

/// As it is written: `person`, `rig` or the agent's ID.
impl Serialize for Sender {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Person => serializer.serialize_str("person"),
            Self::Rig => serializer.serialize_str("rig"),
            Self::Agent(agent) => agent.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Sender {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "person" => Ok(Self::Person),
            "rig" => Ok(Self::Rig),
            agent => agent.parse().map(Self::Agent).map_err(serde::de::Error::custom),
        }
    }
}

/// Who a stored message is from, with what was true of the sender when it was committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Origin {
    /// An agent.
    Agent {
        /// Its ID.
        agent_id: AgentId,
        /// Its title.
        title: Option<Name>,
        /// What it was to the receiver.
        relation: Relation,
        /// The name of its view of the disk.
        disk: String,
        /// The workspace that is its home.
        home: WorkspaceId,
        /// Its folder, as it is on its disk; none if it was at home.
        cwd: Option<RawPath>,
    },
    /// The person.
    Person,
    /// Rig itself.
    Rig,
}

impl Origin {
    /// An agent as `to` is to see it.
    pub(super) fn of(agent: &Agent, to: &Agent) -> Self {
        Self::Agent {
            agent_id: agent.id,
            title: agent.title.clone(),
            relation: agent.relation_to(to),
            disk: agent.disk.clone(),
            home: agent.home,
            cwd: agent.cwd.clone(),
        }
    }

    /// Who that is.
    #[must_use]
    pub fn sender(&self) -> Sender {
        match self {
            Self::Agent { agent_id, .. } => Sender::Agent(*agent_id),
            Self::Person => Sender::Person,
            Self::Rig => Sender::Rig,
        }
    }
}
