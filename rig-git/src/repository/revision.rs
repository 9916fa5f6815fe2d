use git2::{ErrorCode, ObjectType, Oid};

use super::open::Repository;
use crate::error::Result;

impl Repository {
    /// The commit that a revision names, as `rev-parse --verify --end-of-options <rev>^{commit}`
    /// reads it, in full. None if it names none. Nothing is fetched.
    ///
    /// # Errors
    ///
    /// If the repository cannot be read.
    pub fn commit(&self, revision: &str) -> Result<Option<String>> {
        let Some(libgit2) = self.libgit2.as_ref().filter(|_| is_plain(revision)) else {
            return self.ask_for_commit(revision);
        };
        if revision.len() == 40 && is_hexadecimal(revision) {
            return commit_of(libgit2, Oid::from_str(revision)?);
        }
        match self.ref_named(revision)? {
            Some((name, _)) => {
                let object = libgit2.find_reference(&name)?.resolve()?.target();
                object.map_or(Ok(None), |object| commit_of(libgit2, object))
            }
            // An abbreviation, or what `git describe` makes.
            None if is_hexadecimal(revision) || revision.contains("-g") => {
                self.ask_for_commit(revision)
            }
            None => Ok(None),
        }
    }

    fn ask_for_commit(&self, revision: &str) -> Result<Option<String>> {
        let commit = format!("{revision}^{{commit}}");
        self.look_up(&["rev-parse", "--verify", "-q", "--end-of-options", &commit])
    }
}

fn commit_of(libgit2: &git2::Repository, object: Oid) -> Result<Option<String>> {
    let peeled = libgit2
        .find_object(object, None)
        .and_then(|object| object.peel(ObjectType::Commit))
        .map(|commit| commit.id().to_string());
    match peeled {
        Ok(commit) => Ok(Some(commit)),
        Err(error) => match error.code() {
            ErrorCode::NotFound | ErrorCode::Peel | ErrorCode::InvalidSpec => Ok(None),
            _ => Err(error.into()),
        },
    }
}

/// Whether this is nothing but a name: no ancestors, no reflog, no search.
fn is_plain(revision: &str) -> bool {
    let special = |character: char| "~^:@{\\*?[".contains(character) || character.is_control();
    !revision.is_empty() && !revision.starts_with('-') && !revision.contains(special)
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
