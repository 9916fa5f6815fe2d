//! Exit statuses, and which error has which.

use std::process::ExitCode;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done,
    /// It failed.
    Failed,
    /// It was asked wrongly.
    Usage,
    /// What was asked for is not there.
    NotFound,
    /// The caller may not.
    Refused,
    /// Something is in a state that does not allow it.
    Conflict,
    /// A limit is reached.
    Limit,
    /// Somebody else is at it: try again.
    Busy,
    /// A wait was interrupted.
    Interrupted,
    /// Nothing came in time.
    TimedOut,
    /// A signal of this number ended it.
    Signal(u8),
}

impl Exit {
    /// The class of a stable error code. What is not listed failed: the code of a failed workspace
    /// among others.
    pub(crate) fn of_code(code: &str) -> Self {
        match code {
            "bad_request"
            | "bad_config"
            | "machine_level_key"
            | "bad_id"
            | "bad_name"
            | "base_ref_invalid"
            | "revision_invalid"
            | "workspaces_root_invalid"
            | "sync_path_invalid"
            | "path_not_absolute"
            | "not_a_directory"
            | "cursor_malformed"
            | "message_empty"
            | "bad_title"
            | "duration_empty"
            | "duration_missing"
            | "duration_conflict"
            | "duration_unreadable"
            | "duration_unit_missing"
            | "duration_unit_unknown"
            | "duration_unit_calendar"
            | "duration_negative"
            | "duration_order"
            | "duration_too_precise"
            | "duration_too_small"
            | "duration_field_invalid"
            | "time_missing"
            | "time_conflict"
            | "instant_empty"
            | "instant_unreadable"
            | "instant_no_offset"
            | "instant_offset"
            | "instant_leap_second"
            | "instant_weekday"
            | "instant_out_of_window" => Self::Usage,
            "path_missing"
            | "project_not_found"
            | "workspace_not_found"
            | "base_not_found"
            | "agent_not_found"
            | "nothing_saved"
            | "wait_not_found"
            | "schedule_not_found" => Self::NotFound,
            "bad_identity"
            | "runtime_folder_unsafe"
            | "person_only"
            | "primary_only"
            | "not_an_agent"
            | "not_your_agent"
            | "not_your_child"
            | "mode_not_supported"
            | "handshake_required"
            | "workspaces_disabled"
            | "cross_workspace_off"
            | "not_owner"
            | "named_by_person"
            | "protected_path"
            | "repository_not_trusted" => Self::Refused,
            "not_a_git_project"
            | "no_commits"
            | "no_base"
            | "id_conflict"
            | "key_conflict"
            | "wait_settled"
            | "schedule_settled"
            | "ack_ahead"
            | "branch_conflict"
            | "version_conflict"
            | "ambiguous"
            | "managed_workspace"
            | "workspace_not_ready"
            | "workspace_folder_missing"
            | "same_workspace"
            | "cursor_unknown"
            | "cursor_expired"
            | "store_newer"
            | "record_newer"
            | "version_skew"
            | "unknown_operation"
            | "already_running"
            | "no_leader" => Self::Conflict,
            "wait_too_long" | "schedule_too_far" | "too_many_waits" | "too_many_scheduled"
            | "mailbox_full" | "depth_limit" | "too_long" | "frame_too_large" => Self::Limit,
            "git_locked" | "store_busy" | "leader_silent" => Self::Busy,
            _ => Self::Failed,
        }
    }

    fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Refused => 4,
            Self::Conflict => 5,
            Self::Limit => 6,
            Self::Busy => 7,
            Self::Interrupted => 10,
            Self::TimedOut => 124,
            Self::Signal(number) => 128 + number,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.status().into()
    }
}
