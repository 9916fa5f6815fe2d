use crate::error::Result;
use crate::repository::Repository;

/// The branch that work comes back to, found offline: what `origin/HEAD` points at; `main`, local or
/// origin's; `master`, likewise; the branch checked out, even if unborn. A detached HEAD gives none.
///
/// A trunk that is `known` stays as long as it exists, locally or at origin.
pub(crate) fn trunk_of(repository: &Repository, known: Option<&str>) -> Result<Option<String>> {
    if let Some(known) = known.filter(|known| !known.is_empty())
        && exists(repository, known)?
    {
        return Ok(Some(known.to_owned()));
    }
    let head = repository.symbolic("refs/remotes/origin/HEAD")?;
    if let Some(branch) = head.as_deref().and_then(|name| name.strip_prefix("refs/remotes/origin/"))
    {
        return Ok(Some(branch.to_owned()));
    }
    for branch in ["main", "master"] {
        if exists(repository, branch)? {
            return Ok(Some(branch.to_owned()));
        }
    }
    Ok(repository.head()?.branch)
}

fn exists(repository: &Repository, branch: &str) -> Result<bool> {
    Ok(repository.reference(&format!("refs/heads/{branch}"))?.is_some()
        || repository.reference(&format!("refs/remotes/origin/{branch}"))?.is_some())
}
