use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// What is kept of `RIG_*`: where things lie, and nothing about who is calling.
const KEPT_OF_RIG: [&str; 4] =
    ["RIG_STATE_DIR", "RIG_RUNTIME_DIR", "RIG_CONFIG", "RIG_WORKSPACES_DIRECTORY"];

/// What is kept of `GIT_*`: how git connects, and where it and its configuration lie.
const KEPT_OF_GIT: [&str; 6] = [
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// What every git command gets: English, and nothing that could ask or open an editor.
pub(super) const ALWAYS: [(&str, &str); 5] = [
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_EDITOR", "true"),
];

/// What a reading git command gets on top. A git older than `GIT_NO_LAZY_FETCH` would fetch what a
/// partial clone lacks; with no protocol allowed it cannot.
pub(super) const READING: [(&str, &str); 3] =
    [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none")];

/// The environment without what must not reach git or a setup command: an agent's identity, and
/// what a git that runs us as its hook has set for itself, such as `GIT_DIR` and `GIT_INDEX_FILE`.
#[must_use]
pub fn sanitized(environment: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    environment.iter().filter(|(name, _)| is_kept(name)).cloned().collect()
}

pub(super) fn is_kept(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    if bytes.starts_with(b"RIG_") {
        KEPT_OF_RIG.iter().any(|kept| name == *kept)
    } else if bytes.starts_with(b"GIT_") {
        bytes.starts_with(b"GIT_SSL_") || KEPT_OF_GIT.iter().any(|kept| name == *kept)
    } else {
        true
    }
}
