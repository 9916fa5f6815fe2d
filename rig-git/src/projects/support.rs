use std::path::Path;

use rig_core::project::Support;

use crate::error::{Error, Result};
use crate::git::Git;
use crate::repository::Repository;

/// The repository at `path`, if it can have workspaces.
///
/// The error says what it is instead; only `PathInaccessible`, and whatever else reading fails
/// with, proves nothing.
pub(crate) fn usable(git: &Git, path: &Path) -> Result<Repository> {
    let not_git = |found: &str| Err(Error::NotAGitProject { found: found.to_owned() });
    let Some(repository) = Repository::open(git, path)? else {
        return match Repository::discover(git, path)? {
            Some(around) if around.top_level().is_some() => not_git(
                "the folder lies inside a Git repository: use the repository's top level folder",
            ),
            _ => not_git("there is no Git repository at the folder: run `git init` there first"),
        };
    };
    if repository.bare_by_accident() {
        return not_git(
            "the repository's shared configuration says `core.bare=true` although it has a \
             checkout: run `git config core.bare false` there",
        );
    }
    if repository.top_level().is_none() {
        return not_git("the repository is bare: clone it, and use the clone");
    }
    if !repository.has_commits()? {
        return Err(Error::NoCommits { path: path.to_owned() });
    }
    Ok(repository)
}

/// What an error of [`usable`] says of the project's support; none if it proves nothing.
pub(crate) fn disproved(error: &Error) -> Option<Support> {
    let reason = match error {
        Error::NotAGitProject { found } => found.clone(),
        Error::NoCommits { .. }
        | Error::RepositoryNotTrusted { .. }
        | Error::RepositoryFormat { .. } => error.to_string(),
        _ => return None,
    };
    Some(Support::Unsupported { code: error.code().to_owned(), reason })
}
