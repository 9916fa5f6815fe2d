//! Who is asking.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::AgentId;

/// Who asks for something. Rules on ownership bind agents; the person may do everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Caller {
    /// The person whose machine it is.
    Person,
    /// An agent that has shown who it is.
    Agent(AgentId),
}

impl Caller {
    /// The agent, unless it is the person.
    #[must_use]
    pub fn agent(self) -> Option<AgentId> {
        match self {
            Self::Person => None,
            Self::Agent(agent) => Some(agent),
        }
    }
}

/// `person`, or the agent's ID.
impl Serialize for Caller {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Person => serializer.serialize_str("person"),
            Self::Agent(agent) => agent.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Caller {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "person" {
            return Ok(Self::Person);
        }
        text.parse().map(Self::Agent).map_err(serde::de::Error::custom)
    }
}
