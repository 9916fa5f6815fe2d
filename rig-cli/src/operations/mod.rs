//! The operations: each exists once, as a request and a reply. Every door to them, the command line
//! being one, asks for the same things and gets the same answers.
//!
//! Requests have their fields in snake case and refuse unknown ones; replies have theirs in camel
//! case.

mod agent;
mod agent_reply;
mod catalogue;
mod configuration;
mod daemon;
mod events;
mod leaves_work;
mod lost;
mod mail;
mod path;
mod project;
mod project_reply;
mod schedule;
mod schema;
mod store;
mod sync;
mod time_out;
mod wait;
mod work;
mod workspace;
mod workspace_reply;

pub use agent::{
    AgentArchive, AgentInfo, AgentMe, AgentNew, AgentTitle, AgentToken, AgentTree,
    ListWorkspaceSessions,
};
pub use agent_reply::{
    AgentInTree, AgentInfoReply, AgentReply, Agents, ArchivedAgent, Myself, PersonsInfo,
    SessionReply, Sessions, StatusReply, TitledAgent, WaitingReply,
};
pub use catalogue::{Entry, Operation, Stream, catalogue};
pub use configuration::{
    CheckConfig, CheckedConfig, ConfigFault, ConfigValue, ShowConfig, ShownConfig,
};
pub use daemon::{
    DaemonStatus, DaemonStatusReply, Dismissed, Drain, Draining, InLine, LeftBehind,
    LeftBehindReply, LoopReply, StandInLine, Stop, Stopped,
};
pub use events::{Event, Events, FollowEvents, Followed, ListEvents};
pub(crate) use leaves_work::leaves_work;
pub use mail::{
    AckedMail, AgentAck, AgentFollow, AgentReceive, AgentSend, Mail, OneMessage, SentMessage,
};
pub use path::PathReply;
pub use project::{
    AddProject, ArchiveProject, FindProject, ListProjects, MoveProject, RenameProject,
};
pub use project_reply::{ArchivedProject, ProjectReply, Projects};
pub use schedule::{
    CancelScheduled, CancelledScheduled, DeliveryFailure, ListScheduled, RetryScheduled,
    ScheduleMessage, Scheduled, ScheduledItem, ScheduledList, ShowScheduled,
};
pub use store::{
    CheckStore, CheckedStore, CompactStore, CompactedStore, DumpStore, Dumped, StoreFinding,
    StoreRow,
};
pub use sync::{SyncWorkspace, SyncedPath, SyncedWorkspace};
pub use time_out::TimeOut;
pub use wait::{AwaitWait, CancelledWait, Wait, WaitCancel, WaitReply, WaitUntil};
pub use work::{AwaitArchived, AwaitBranch, AwaitWorkspace, WorkProgress};
pub use workspace::{
    ArchiveWorkspace, CreateWorkspace, FindWorkspace, ListWorkspaces, MoveWorkspace,
    RenameWorkspace, RestoreWork, RetryWorkspace, ShowWorkspace,
};
pub use workspace_reply::{
    ArchivedWorkspace, BaseReply, FoundWorkspace, StepReply, StoredErrorReply, WorkspaceReply,
    Workspaces,
};
