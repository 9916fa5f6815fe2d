use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    AddProject, ArchiveProject, ArchiveWorkspace, ArchivedProject, ArchivedWorkspace, CheckConfig,
    CheckStore, CheckedConfig, CheckedStore, CompactStore, CompactedStore, CreateWorkspace, Events,
    FindProject, FindWorkspace, FoundWorkspace, ListEvents, ListProjects, ListWorkspaces,
    MoveProject, MoveWorkspace, ProjectReply, Projects, RenameProject, RenameWorkspace,
    RestoreWork, RetryWorkspace, ShowConfig, ShowWorkspace, ShownConfig, SyncWorkspace,
    SyncedWorkspace, WorkspaceReply, Workspaces,
};

/// An operation, named by its request.
pub trait Operation: Serialize + DeserializeOwned + JsonSchema {
    /// Its stable name, such as `create_workspace`.
    const NAME: &'static str;
    /// What it answers with.
    type Reply: Serialize + DeserializeOwned + JsonSchema;
}

/// An operation as the catalogue lists it.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The JSON Schema of its request.
    pub request: Schema,
    /// The JSON Schema of its reply.
    pub reply: Schema,
}

fn entry<O: Operation>() -> Entry {
    Entry { name: O::NAME, request: schema_for!(O), reply: schema_for!(O::Reply) }
}

macro_rules! operations {
    ($($name:literal: $request:ty => $reply:ty,)*) => {
        $(impl Operation for $request {
            const NAME: &'static str = $name;
            type Reply = $reply;
        })*

        /// All operations there are.
        #[must_use]
        pub fn catalogue() -> Vec<Entry> {
            vec![$(entry::<$request>()),*]
        }
    };
}

operations! {
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
    "archive_workspace": ArchiveWorkspace => ArchivedWorkspace,
    "retry_workspace": RetryWorkspace => WorkspaceReply,
    "restore_work": RestoreWork => WorkspaceReply,
    "sync_workspace": SyncWorkspace => SyncedWorkspace,
    "list_events": ListEvents => Events,
    "show_config": ShowConfig => ShownConfig,
    "check_config": CheckConfig => CheckedConfig,
    "check_store": CheckStore => CheckedStore,
    "compact_store": CompactStore => CompactedStore,
}
