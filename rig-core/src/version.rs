//! Versions of a row. `version` grows with every change of what a reply shows; an edit sets
//! `user_version` to it, and background progress does not.

/// Whether an edit that was made looking at version `expected` still holds. One that names no
/// version always does; else nothing may have been edited since, while background progress is no
/// reason to look again.
pub(crate) fn still_holds(expected: Option<u64>, user_version: u64, version: u64) -> bool {
    expected.is_none_or(|expected| (user_version..=version).contains(&expected))
}
