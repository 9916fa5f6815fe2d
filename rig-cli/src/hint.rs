//! What to do next, where an error's own message does not say it.

/// The hint for an error of this code.
pub(crate) fn for_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "bad_request" => "`rig help` shows what each command takes",
        "bad_config" | "machine_level_key" => {
            "`rig config check` checks the files, `rig config show` says where each value comes from"
        }
        "bad_id" => "an ID is given exactly as rig printed it; without one, rig makes one",
        "bad_title" => "give a title of 1 to 100 characters on one line",
        "message_empty" => "say something: an empty message is not sent",
        "too_long" => "put what is long into a file, and send its path",
        "mailbox_full" => "send again once the receiver has acknowledged; nothing was stored",
        "depth_limit" => "finish the task yourself",
        "agent_not_found" => "check the ID; whoever owns the agent can hand it to you",
        "not_an_agent" => "act as an agent: `eval \"$(rig agent new --title NAME)\"`",
        "not_your_agent" => "leave the ID out to act for yourself",
        "handshake_required" => "`rig agent info ID`, then send",
        "ack_ahead" => "receive first, then acknowledge what was handed out",
        "primary_only" => "ask the agent above you to do it",
        "person_only" => "ask the person to do it",
        "bad_name" => "give another name, or none: it can be renamed later",
        "bad_identity" => {
            "unset RIG_AGENT_ID and RIG_AGENT_TOKEN to act as the person whose machine this is"
        }
        "base_ref_invalid" => "name a branch, a tag or a commit, such as `main` or `origin/main`",
        "base_not_found" => {
            "`git branch --all` and `git tag` list what there is; `git fetch` brings what is missing"
        }
        "no_base" => "name what to cut the workspace from with `--base REF`",
        "base_lost" => "archive the workspace and create another one",
        "not_a_git_project" => {
            "run it in the top level of a Git repository with a checkout, or name one with `--project`"
        }
        "no_commits" => "make a first commit, such as `git commit --allow-empty -m start`",
        "repository_not_trusted" => {
            "if you trust it: `git config --global --add safe.directory <path>`"
        }
        "repository_format" => "a newer git may read it: `git --version` shows yours",
        "branch_conflict" => "rename or delete that branch, or choose another name",
        "project_not_found" => "`rig project list` shows all projects, `rig project add` adds one",
        "project_missing" => "bring the folder back, or archive the workspace",
        "workspace_not_found" => {
            "`rig workspace list --all` shows the workspaces of this project; `--project` names another"
        }
        "ambiguous" => "use the ID",
        "key_conflict" => "use another key, or ask again with what was given first",
        "wait_settled" => "`rig wait --id` answers with its result",
        "schedule_settled" => "`rig schedule list --all` shows it",
        "schedule_not_found" => "`rig schedule list --all` shows what you scheduled",
        "wait_too_long" => "wait for less and wait again, or schedule a message",
        "id_conflict" => "use another ID, or ask again with what was given first",
        "version_conflict" => "look at it as it is now, then edit again",
        "managed_workspace" => "wait until it is ready, or name the project it was cut from",
        "nothing_saved" => "the branch is still there: `rig workspace show` names it",
        "workspace_folder_missing" => {
            "archive it: what was committed is on its branch, which stays"
        }
        "workspaces_root_invalid" => {
            "set RIG_WORKSPACES_DIRECTORY to an absolute path outside of the project"
        }
        "sync_path_invalid" => "mend the list in the project's rig.toml",
        "path_missing" | "not_a_directory" => "check how the path is spelled",
        "path_not_absolute" => "give an absolute path",
        "path_inaccessible" | "io_failed" => "check the permissions of the path",
        "git_locked" => "wait for the other git to end and try again",
        "git_not_found" | "git_too_old" => "install git and make sure that PATH finds it",
        "git_timed_out" => "try again; `workspace.fetch_timeout` and its like raise the limits",
        "leader_silent" => "`rig daemon status` says who leads; end it if it hangs, then ask again",
        "runtime_folder_unsafe" => {
            "name another folder with RIG_RUNTIME_DIR, or make it a folder of yours with mode 0700"
        }
        "store_busy" => "try again in a moment: another `rig` is at work",
        "store_failed" | "disk_full" => "check the disk; the same request again is safe",
        "store_corrupt" => "`rig store check` says what is damaged; the file is left as it is",
        "store_newer" | "record_newer" => "use the newer rig that wrote it",
        "no_leader" => "start one with `rig daemon start`, or set RIG_DAEMON to `auto` or `never`",
        "already_running" => "`rig daemon stop` stops it, `rig daemon status` shows what it does",
        "daemon_not_ready" => "the log, daemon.log in the state folder, says more",
        "version_skew" => "`rig daemon stop` stops a daemon of another version; then try again",
        "unknown_operation" => {
            "the rig that leads is of another version: `rig daemon stop` stops it"
        }
        "cursor_malformed" | "cursor_unknown" | "cursor_expired" => {
            "leave the cursor out to begin with the newest events"
        }
        "internal" => "this is a fault of rig: please report it",
        _ => return None,
    })
}
