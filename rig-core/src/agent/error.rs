use crate::id::{AgentId, BadId};
use crate::name::BadName;
use crate::store;

/// What the functions on agents return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something about an agent was refused, or failed. No message holds a token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller is neither the person nor an agent that showed who it is: `bad_identity`.
    #[error("no such identity: {why}")]
    BadIdentity {
        /// What is missing or wrong.
        why: &'static str,
    },
    /// Only an agent has what was asked for: `not_an_agent`.
    #[error(
        "the person has no {what}: it takes an agent, named by RIG_AGENT_ID and RIG_AGENT_TOKEN"
    )]
    NotAnAgent {
        /// What was asked for, such as `mailbox`.
        what: &'static str,
    },
    /// The agent is neither the caller nor one that it may act on: `not_your_agent`.
    #[error("{asked} is not yours: {rule}")]
    NotYourAgent {
        /// The agent that was named.
        asked: String,
        /// Whom the caller may name.
        rule: &'static str,
    },
    /// The operation is not for subagents: `primary_only`.
    #[error("`{operation}` is for primary agents only, and {agent} is a subagent")]
    PrimaryOnly {
        /// What was called.
        operation: &'static str,
        /// Who called.
        agent: AgentId,
    },
    /// The operation is the person's: `person_only`.
    #[error("`{operation}` is for the person only, and {agent} is an agent")]
    PersonOnly {
        /// What was called.
        operation: &'static str,
        /// Who called.
        agent: AgentId,
    },
    /// No agent of that ID or title: `agent_not_found`.
    #[error("there is no agent {asked}")]
    AgentNotFound {
        /// What was asked for.
        asked: String,
    },
    /// Several agents have the title: `ambiguous`.
    #[error("{asked:?} is the title of several agents: {}", listed(candidates))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// The agents of that title.
        candidates: Vec<AgentId>,
    },
    /// A text is not an ID: `bad_id`.
    #[error(transparent)]
    BadId(#[from] BadId),
    /// A text cannot be a title: `bad_title`.
    #[error("`title` cannot be used: {}", rule(*.0))]
    BadTitle(BadName),
    /// A field has a value that it cannot have: `bad_request`.
    #[error("`{field}` {rule}")]
    BadRequest {
        /// The field.
        field: &'static str,
        /// What it must be.
        rule: &'static str,
    },
    /// The ID is that of an agent with other content: `id_conflict`.
    #[error("{agent} is registered with another `{field}`{}", values(stored.as_ref(), given))]
    IdConflict {
        /// The agent.
        agent: AgentId,
        /// What differs.
        field: &'static str,
        /// What is stored; none if it is not the caller's to see.
        stored: Option<String>,
        /// What was given.
        given: String,
    },
    /// The agent would be too far below its primary agent: `depth_limit`.
    #[error(
        "an agent at depth {depth} is over the limit of {limit}: finish the task yourself instead"
    )]
    DepthLimit {
        /// How deep it would be.
        depth: u32,
        /// How deep an agent may be.
        limit: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Error {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadIdentity { .. } => "bad_identity",
            Self::NotAnAgent { .. } => "not_an_agent",
            Self::NotYourAgent { .. } => "not_your_agent",
            Self::PrimaryOnly { .. } => "primary_only",
            Self::PersonOnly { .. } => "person_only",
            Self::AgentNotFound { .. } => "agent_not_found",
            Self::Ambiguous { .. } => "ambiguous",
            Self::BadId(_) => "bad_id",
            Self::BadTitle(_) => "bad_title",
            Self::BadRequest { .. } => "bad_request",
            Self::IdConflict { .. } => "id_conflict",
            Self::DepthLimit { .. } => "depth_limit",
            Self::Store(error) => error.code(),
        }
    }

    pub(super) fn not_yours(agent: AgentId, rule: &'static str) -> Self {
        Self::NotYourAgent { asked: agent.to_string(), rule }
    }

    pub(super) fn not_found(agent: AgentId) -> Self {
        Self::AgentNotFound { asked: agent.to_string() }
    }
}

fn listed(candidates: &[AgentId]) -> String {
    candidates.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn values(stored: Option<&String>, given: &str) -> String {
    stored.map_or_else(String::new, |stored| format!(": stored {stored}, given {given}"))
}

/// What is wrong with a title; a name has the same rules.
fn rule(bad: BadName) -> String {
    match bad {
        BadName::Empty => "it is empty, and it needs 1 to 100 characters".to_owned(),
        BadName::TooLong { characters } => {
            format!("it has {characters} characters, and at most 100 are allowed")
        }
        BadName::Unprintable { character } => format!(
            "it has the character U+{:04X}, and control and format characters are not allowed",
            u32::from(character)
        ),
    }
}
