//! Who is asking.

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
