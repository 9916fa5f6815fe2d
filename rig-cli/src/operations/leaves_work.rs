/// Whether an operation may leave work behind that somebody has to stay for. A wait does not: whoever
/// waits is there.
pub(crate) fn leaves_work(operation: &str) -> bool {
    matches!(
        operation,
        "create_workspace"
            | "archive_workspace"
            | "archive_project"
            | "rename_workspace"
            | "retry_workspace"
            | "restore_work"
            | "schedule_message"
            | "retry_scheduled"
    )
}
