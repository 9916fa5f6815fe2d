use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    AckedMail, AddProject, AgentAck, AgentArchive, AgentFollow, AgentInfo, AgentInfoReply, AgentMe,
    AgentNew, AgentReceive, AgentReply, AgentSend, AgentTitle, AgentToken, AgentTree, Agents,
    ArchiveProject, ArchiveWorkspace, ArchivedAgent, ArchivedProject, ArchivedWorkspace,
    AwaitArchived, AwaitBranch, AwaitWait, AwaitWorkspace, CancelScheduled, CancelledScheduled,
    CancelledWait, CheckConfig, CheckStore, CheckedConfig, CheckedStore, CompactStore,
    CompactedStore, CreateWorkspace, DaemonStatus, DaemonStatusReply, Dismissed, Drain, Draining,
    DumpStore, Dumped, Event, Events, FindProject, FindWorkspace, FollowEvents, Followed,
    FoundWorkspace, InLine, LeftBehind, LeftBehindReply, ListEvents, ListProjects, ListScheduled,
    ListWorkspaceSessions, ListWorkspaces, Mail, MoveProject, MoveWorkspace, Myself, OneMessage,
    ProjectReply, Projects, RenameProject, RenameWorkspace, RestoreWork, RetryScheduled,
    RetryWorkspace, ScheduleMessage, Scheduled, ScheduledItem, ScheduledList, SentMessage,
    Sessions, ShowConfig, ShowScheduled, ShowWorkspace, ShownConfig, StandInLine, Stop, Stopped,
    StoreRow, SyncWorkspace, SyncedWorkspace, TitledAgent, Wait, WaitCancel, WaitReply, WaitUntil,
    WorkProgress, WorkspaceReply, Workspaces,
};

/// An operation, named by its request.
pub trait Operation: Serialize + DeserializeOwned + JsonSchema {
    /// Its stable name, such as `create_workspace`.
    const NAME: &'static str;
    /// Whether it may wait: whoever asked for it asks again when the leader changes.
    const HELD: bool;
    /// What it answers with.
    type Reply: Serialize + DeserializeOwned + JsonSchema;
}

/// An operation that tells how it goes on before it answers.
pub trait Stream: Operation {
    /// What it tells.
    type Item: Serialize + DeserializeOwned + JsonSchema;
}

/// An operation as the catalogue lists it.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The JSON Schema of its request.
    pub request: Schema,
    /// Whether it may wait.
    pub held: bool,
    /// The JSON Schema of what it tells before it answers, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<Schema>,
    /// The JSON Schema of its reply.
    pub reply: Schema,
}

fn entry<O: Operation>(item: Option<Schema>) -> Entry {
    let (request, reply) = (schema_for!(O), schema_for!(O::Reply));
    Entry { name: O::NAME, request, held: O::HELD, item, reply }
}

macro_rules! operations {
    (
        short { $($name:literal: $request:ty => $reply:ty,)* }
        held { $($held_name:literal: $held:ty => $held_reply:ty,)* }
        streams { $($stream_name:literal: $stream:ty => [$item:ty] $stream_reply:ty,)* }
    ) => {
        $(impl Operation for $request {
            const NAME: &'static str = $name;
            const HELD: bool = false;
            type Reply = $reply;
        })*
        $(impl Operation for $held {
            const NAME: &'static str = $held_name;
            const HELD: bool = true;
            type Reply = $held_reply;
        })*
        $(impl Operation for $stream {
            const NAME: &'static str = $stream_name;
            const HELD: bool = true;
            type Reply = $stream_reply;
        }
        impl Stream for $stream {
            type Item = $item;
        })*

        /// All operations there are.
        #[must_use]
        pub fn catalogue() -> Vec<Entry> {
            vec![
                $(entry::<$request>(None),)*
                $(entry::<$held>(None),)*
                $(entry::<$stream>(Some(schema_for!($item))),)*
            ]
        }
    };
}

operations! {
    short {
    "add_project": AddProject => ProjectReply,
    "find_project": FindProject => ProjectReply,
    "list_projects": ListProjects => Projects,
    "rename_project": RenameProject => ProjectReply,
    "move_project": MoveProject => ProjectReply,
    "archive_project": ArchiveProject => ArchivedProject,
    "create_workspace": CreateWorkspace => WorkspaceReply,
    "find_workspace": FindWorkspace => FoundWorkspace,
    "show_workspace": ShowWorkspace => WorkspaceReply,
    "list_workspaces": ListWorkspaces => Workspaces,
    "rename_workspace": RenameWorkspace => WorkspaceReply,
    "move_workspace": MoveWorkspace => WorkspaceReply,
    "retry_workspace": RetryWorkspace => WorkspaceReply,
    "restore_work": RestoreWork => WorkspaceReply,
    "sync_workspace": SyncWorkspace => SyncedWorkspace,
    "wait_cancel": WaitCancel => CancelledWait,
    "schedule_message": ScheduleMessage => Scheduled,
    "list_scheduled": ListScheduled => ScheduledList,
    "show_scheduled": ShowScheduled => ScheduledItem,
    "cancel_scheduled": CancelScheduled => CancelledScheduled,
    "retry_scheduled": RetryScheduled => Scheduled,
    "agent_new": AgentNew => AgentReply,
    "agent_token": AgentToken => AgentReply,
    "agent_title": AgentTitle => TitledAgent,
    "agent_archive": AgentArchive => ArchivedAgent,
    "agent_me": AgentMe => Myself,
    "agent_info": AgentInfo => AgentInfoReply,
    "agent_tree": AgentTree => Agents,
    "agent_send": AgentSend => SentMessage,
    "agent_ack": AgentAck => AckedMail,
    "list_workspace_sessions": ListWorkspaceSessions => Sessions,
    "list_events": ListEvents => Events,
    "show_config": ShowConfig => ShownConfig,
    "check_config": CheckConfig => CheckedConfig,
    "check_store": CheckStore => CheckedStore,
    "compact_store": CompactStore => CompactedStore,
    "daemon_status": DaemonStatus => DaemonStatusReply,
    "left_behind": LeftBehind => LeftBehindReply,
    "drain": Drain => Draining,
    "stop": Stop => Stopped,
    }
    held {
    "archive_workspace": ArchiveWorkspace => ArchivedWorkspace,
    "wait": Wait => WaitReply,
    "wait_until": WaitUntil => WaitReply,
    "await_wait": AwaitWait => WaitReply,
    "agent_receive": AgentReceive => Mail,
    "await_branch": AwaitBranch => WorkspaceReply,
    "await_archived": AwaitArchived => ArchivedWorkspace,
    }
    streams {
    "await_workspace": AwaitWorkspace => [WorkProgress] WorkspaceReply,
    "agent_follow": AgentFollow => [OneMessage] Followed,
    "follow_events": FollowEvents => [Event] Followed,
    "dump_store": DumpStore => [StoreRow] Dumped,
    "stand_in_line": StandInLine => [InLine] Dismissed,
    }
}
