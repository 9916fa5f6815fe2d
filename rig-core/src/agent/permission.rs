use super::error::{Error, Result};
use super::rows;
use crate::caller::Caller;
use crate::store::Read;

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The person and every agent.
    Everyone,
    /// The person and primary agents.
    NotSubagents,
    /// Every agent. The person has nothing that it is about.
    Agents,
    /// The person.
    Person,
}

impl Who {
    /// Whether the person may.
    #[must_use]
    pub fn includes_the_person(self) -> bool {
        self != Self::Agents
    }

    /// Whether primary agents may.
    #[must_use]
    pub fn includes_primary_agents(self) -> bool {
        self != Self::Person
    }

    /// Whether subagents may.
    #[must_use]
    pub fn includes_subagents(self) -> bool {
        matches!(self, Self::Everyone | Self::Agents)
    }
}

/// Who may call what. A door reads it to decide what to offer, and an operation when it is called.
/// What an operation is allowed to do to whom, it says itself.
pub const PERMISSIONS: &[(&str, Who)] = &[
    // Identity and mail.
    ("agent_ack", Who::Agents),
    ("agent_archive", Who::Everyone),
    ("agent_follow", Who::Agents),
    ("agent_info", Who::Everyone),
    ("agent_me", Who::Agents),
    ("agent_new", Who::Everyone),
    ("agent_receive", Who::Agents),
    ("agent_send", Who::Everyone),
    ("agent_title", Who::Everyone),
    ("agent_token", Who::Everyone),
    ("agent_tree", Who::Everyone),
    // Time.
    ("await_wait", Who::Everyone),
    ("cancel_scheduled", Who::NotSubagents),
    ("list_scheduled", Who::NotSubagents),
    ("retry_scheduled", Who::NotSubagents),
    ("schedule_message", Who::NotSubagents),
    ("show_scheduled", Who::NotSubagents),
    ("wait", Who::Everyone),
    ("wait_cancel", Who::Everyone),
    ("wait_until", Who::Everyone),
    // Projects and workspaces.
    ("add_project", Who::NotSubagents),
    ("archive_project", Who::NotSubagents),
    ("archive_workspace", Who::NotSubagents),
    ("await_archived", Who::NotSubagents),
    ("await_branch", Who::NotSubagents),
    ("await_workspace", Who::NotSubagents),
    ("create_workspace", Who::NotSubagents),
    ("find_project", Who::NotSubagents),
    ("find_workspace", Who::NotSubagents),
    ("list_projects", Who::NotSubagents),
    ("list_workspace_sessions", Who::NotSubagents),
    ("list_workspaces", Who::NotSubagents),
    ("move_project", Who::NotSubagents),
    ("move_workspace", Who::NotSubagents),
    ("rename_project", Who::NotSubagents),
    ("rename_workspace", Who::NotSubagents),
    ("restore_work", Who::NotSubagents),
    ("retry_workspace", Who::NotSubagents),
    ("show_workspace", Who::NotSubagents),
    ("sync_workspace", Who::NotSubagents),
    // The machine.
    ("check_config", Who::Everyone),
    ("check_store", Who::Person),
    ("compact_store", Who::Person),
    ("daemon_status", Who::Everyone),
    ("drain", Who::Everyone),
    ("dump_store", Who::Person),
    ("follow_events", Who::Everyone),
    ("left_behind", Who::Everyone),
    ("list_events", Who::Everyone),
    ("show_config", Who::Everyone),
    ("stand_in_line", Who::Everyone),
    ("stop", Who::Everyone),
];

/// Who may call an operation; none if it is not in the table.
#[must_use]
pub fn who_may(operation: &str) -> Option<Who> {
    PERMISSIONS.iter().find(|(name, _)| *name == operation).map(|(_, who)| *who)
}

/// That the caller may call an operation. One that the table does not have, nobody may.
///
/// # Errors
///
/// [`Error::PrimaryOnly`] for a subagent, [`Error::PersonOnly`] for an agent, [`Error::NotAnAgent`]
/// for the person; or if the store failed.
pub fn allow(r: &impl Read, caller: Caller, operation: &'static str) -> Result<()> {
    let who = who_may(operation).unwrap_or(Who::Person);
    let Some(agent) = caller.agent() else {
        let person = who.includes_the_person();
        return if person { Ok(()) } else { Err(Error::NotAnAgent { what: "mailbox" }) };
    };
    if who == Who::Person {
        return Err(Error::PersonOnly { operation, agent });
    }
    if !who.includes_subagents() && !rows::get(r, agent)?.is_primary() {
        return Err(Error::PrimaryOnly { operation, agent });
    }
    Ok(())
}
