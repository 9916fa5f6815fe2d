use rig_core::token::Token;
use serde::Serialize;

use crate::operations::AgentReply;
use crate::output::{Page, Show};

/// What makes a process the agent: for people two lines that a shell can evaluate.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Identity {
    token: String,
    #[serde(flatten)]
    agent: AgentReply,
}

impl Identity {
    /// Of an agent, and the token that was made for it.
    pub(super) fn new(agent: AgentReply, token: &Token) -> Self {
        Self { token: token.reveal(), agent }
    }
}

impl Show for Identity {
    fn show(&self, page: &mut Page) {
        // Both are letters, digits and underscores, which no shell takes for anything else.
        page.line(format!("export RIG_AGENT_ID={}", self.agent.agent_id));
        page.line(format!("export RIG_AGENT_TOKEN={}", self.token));
    }
}
