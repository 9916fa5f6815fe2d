use schemars::JsonSchema;

use super::path::PathSchema;

/// What a workspace's folder holds that nothing else does.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Lost")]
#[allow(dead_code)] // Only its schema is used.
pub(super) struct LostSchema {
    /// Staged, unstaged, untracked and conflicted files.
    dirty: Dirty,
    /// Commits of HEAD in no remote-tracking ref and not in the base.
    unpushed: u64,
    /// Ignored files.
    ignored: Ignored,
    /// Submodules with changes or commits of their own.
    submodules: Vec<PathSchema>,
    /// Nested repositories with changes or commits of their own.
    nested: Vec<PathSchema>,
    /// Where the work was saved.
    saved: Option<Saved>,
}

/// Files with uncommitted changes.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct Dirty {
    /// How many.
    count: u64,
    /// The first 50, in byte order.
    paths: Vec<PathSchema>,
}

/// Ignored files, a folder counted once.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct Ignored {
    /// How many.
    count: u64,
    /// Bytes in them.
    bytes: u64,
    /// Whether counting was cut off, so that there is at least this much.
    at_least: bool,
    /// The first 50, in byte order.
    paths: Vec<PathSchema>,
}

/// Where uncommitted work was saved.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct Saved {
    /// The ref.
    #[serde(rename = "ref")]
    reference: String,
    /// The commit; its first parent is the HEAD the work was done on.
    commit: String,
}
