//! Bases: what a workspace is cut from, as it is named and as it is resolved.

use crate::error::{Error, Result};
use crate::repository::Repository;

/// Characters of the longest base.
pub const MAX_BASE: usize = 200;

/// The base as it is used: trimmed, and none if nothing is left.
pub(super) fn checked(base: Option<&str>) -> Result<Option<String>> {
    let Some(base) = base.map(str::trim).filter(|base| !base.is_empty()) else {
        return Ok(None);
    };
    let invalid = |rule| Err(Error::BaseRefInvalid { value: base.to_owned(), rule });
    if base.chars().count() > MAX_BASE {
        return invalid("it has more than 200 characters");
    }
    if base.starts_with('-') {
        return invalid("it begins with a dash");
    }
    if base.contains(':') {
        return invalid("it has a colon, which names a file and not a commit");
    }
    if base.chars().any(char::is_control) {
        return invalid("it has a control character");
    }
    Ok(Some(base.to_owned()))
}

/// The branch of `origin` that must be asked for before `base` can be resolved; none if it needs no
/// network.
pub(super) fn remote_branch<'a>(
    base: Option<&'a str>,
    trunk: Option<&'a str>,
    has_origin: bool,
) -> Option<&'a str> {
    if !has_origin {
        return None;
    }
    let Some(base) = base else { return trunk };
    let named = base.strip_prefix("origin/")?;
    let end = [named.find(['~', '^']), named.find("@{")].into_iter().flatten().min();
    Some(&named[..end.unwrap_or(named.len())]).filter(|branch| !branch.is_empty())
}

/// Whether there is a remote `origin` to ask.
pub(super) fn has_origin(repository: &Repository) -> Result<bool> {
    Ok(repository.config("remote.origin.url")?.is_some())
}

/// A base that became a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resolved {
    /// The ref's full name, where the base names one.
    pub(super) reference: Option<String>,
    pub(super) commit: String,
    pub(super) warnings: Vec<String>,
}

/// What an explicit base names, exactly as it is given.
pub(super) fn explicit(repository: &Repository, base: &str) -> Result<Option<Resolved>> {
    let Some(commit) = repository.commit(base)? else { return Ok(None) };
    let (reference, warnings) = match repository.ref_named(base)? {
        Some((name, true)) => {
            let warning = format!("{base:?} fits several refs: {name} was taken, as git does");
            (Some(name), vec![warning])
        }
        Some((name, false)) => (Some(name), Vec::new()),
        None => (None, Vec::new()),
    };
    Ok(Some(Resolved { reference, commit, warnings }))
}

/// The default base: `origin/<trunk>` if it was just `fetched`, else the local trunk, else
/// `origin/<trunk>` as it was fetched last. Never what the folder has checked out.
pub(super) fn default(
    repository: &Repository,
    trunk: Option<&str>,
    fetched: bool,
) -> Result<Resolved> {
    let no_base = |found: String| Err(Error::NoBase { found });
    let Some(trunk) = trunk else {
        return no_base("no trunk was found: HEAD is detached, and there is no main".to_owned());
    };
    let local_name = format!("refs/heads/{trunk}");
    let remote_name = format!("refs/remotes/origin/{trunk}");
    let local = repository.reference(&local_name)?;
    let remote = repository.reference(&remote_name)?;
    let took = |reference: String, commit: &str, warnings| {
        Ok(Resolved { reference: Some(reference), commit: commit.to_owned(), warnings })
    };
    match (local, remote) {
        (_, Some(remote)) if fetched => took(remote_name, &remote, Vec::new()),
        (Some(local), remote) => {
            let warning = remote.map(|remote| behind(repository, trunk, &local, &remote));
            took(local_name, &local, warning.transpose()?.flatten().into_iter().collect())
        }
        (None, Some(remote)) => took(remote_name, &remote, Vec::new()),
        (None, None) => no_base(format!("the trunk {trunk:?} has no commit here")),
    }
}

/// A warning if the local trunk lacks commits that were fetched earlier.
fn behind(
    repository: &Repository,
    trunk: &str,
    local: &str,
    remote: &str,
) -> Result<Option<String>> {
    let lacks = repository.count_missing(remote, &[local.to_owned()])?;
    Ok((lacks > 0).then(|| {
        format!(
            "the local branch {trunk} lacks {lacks} commits that were fetched earlier: `--base \
             origin/{trunk}` takes them"
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::{checked, remote_branch};

    #[test]
    fn what_is_asked_of_the_remote() {
        let asked = |base| remote_branch(base, Some("main"), true);
        assert_eq!(asked(None), Some("main"));
        assert_eq!(asked(Some("origin/topic/x~2")), Some("topic/x"));
        assert_eq!(asked(Some("origin/topic@{1}")), Some("topic"));
        assert_eq!(asked(Some("origin/topic^")), Some("topic"));
        assert_eq!(asked(Some("main")), None);
        assert_eq!(asked(Some("refs/remotes/origin/main")), None);
        assert_eq!(remote_branch(None, Some("main"), false), None);
    }

    #[test]
    fn bases_that_name_no_commit_are_refused_as_text() {
        for base in ["-x", "HEAD:f", "a\nb", &"x".repeat(201)] {
            assert_eq!(checked(Some(base)).unwrap_err().code(), "base_ref_invalid", "{base:?}");
        }
        assert_eq!(checked(Some("  ")).unwrap(), None);
        assert_eq!(checked(Some(" main ")).unwrap().as_deref(), Some("main"));
    }
}
