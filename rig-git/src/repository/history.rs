use git2::{ErrorCode, Oid};

use rig_core::cancel::Cancel;

use super::open::Repository;
use crate::error::Result;

impl Repository {
    /// Whether commit `ancestor` is `of` or one of its ancestors.
    ///
    /// # Errors
    ///
    /// If one of them is not there or the history cannot be read.
    pub fn is_ancestor(&self, ancestor: &str, of: &str) -> Result<bool> {
        let Some(libgit2) = &self.libgit2 else {
            let args = ["merge-base", "--is-ancestor", "--end-of-options", ancestor, of];
            return Ok(self.ask(&args)?.is_some());
        };
        let (ancestor, of) = (Oid::from_str(ancestor)?, Oid::from_str(of)?);
        Ok(ancestor == of || libgit2.graph_descendant_of(of, ancestor)?)
    }

    /// How many commits `of` has that none of `without` (commits) has. What of `without` is not
    /// there counts nothing.
    ///
    /// # Errors
    ///
    /// If `of` is not there or the history cannot be read.
    pub fn count_missing(&self, of: &str, without: &[String]) -> Result<usize> {
        let Some(libgit2) = &self.libgit2 else {
            // What is missing may be ignored of the others only.
            let start = format!("{of}^{{commit}}");
            let there = ["rev-parse", "--verify", "-q", "--end-of-options", &start];
            self.git.read(self.folder()).args(there).succeed(&Cancel::new())?;
            let without = without.iter().map(|commit| format!("^{commit}"));
            let options = ["rev-list", "--count", "--ignore-missing", "--end-of-options", of];
            let args: Vec<_> = options.map(str::to_owned).into_iter().chain(without).collect();
            let count = self.ask(&args)?.and_then(|count| super::program::word(&count));
            return Ok(count.and_then(|count| count.parse().ok()).unwrap_or_default());
        };
        let mut walk = libgit2.revwalk()?;
        walk.push(Oid::from_str(of)?)?;
        for commit in without {
            match walk.hide(Oid::from_str(commit)?) {
                Err(error) if error.code() != ErrorCode::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        let mut count = 0;
        for commit in walk {
            commit?;
            count += 1;
        }
        Ok(count)
    }
}
