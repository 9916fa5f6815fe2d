/// The command that an operation is asked for with, as its words.
pub(super) fn command_of(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "add_project" => "project add",
        "find_project" => "project show",
        "list_projects" => "project list",
        "rename_project" => "project rename",
        "move_project" => "project move",
        "archive_project" => "project archive",
        "create_workspace" => "workspace create",
        "find_workspace" => "workspace path",
        "show_workspace" => "workspace show",
        "list_workspaces" => "workspace list",
        "rename_workspace" => "workspace rename",
        "move_workspace" => "workspace move",
        "archive_workspace" => "workspace archive",
        "retry_workspace" => "workspace retry",
        "restore_work" => "workspace restore-work",
        "sync_workspace" => "workspace sync",
        "list_events" => "events",
        "show_config" => "config show",
        "check_config" => "config check",
        "check_store" => "store check",
        "compact_store" => "store compact",
        _ => return None,
    })
}
