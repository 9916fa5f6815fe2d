//! The steps that turn a base into a commit.

use rig_core::config::Config;
use rig_core::store::Transact;
use rig_core::workspace::{Base, Outcome, StepName};

use super::base::{self, Resolved};
use super::fetch;
use super::materialize::{Job, Stop};
use crate::error::Error;
use crate::repository::Repository;

impl<S: Transact> Job<'_, S> {
    /// The base, if it is to be recorded; none if it was recorded by an earlier attempt.
    pub(super) fn resolve(
        &mut self,
        repository: &Repository,
        config: &Config,
    ) -> Result<Option<Base>, Stop> {
        let mut base = self.row.base.clone();
        if base.resolved || base.commit.is_some() {
            let commit = base.commit.clone().unwrap_or_default();
            if repository.commit(&commit)?.is_none() {
                return Err(Error::BaseLost { commit }.into());
            }
        }
        if base.resolved {
            return Ok(None);
        }
        let fetched = match base.commit {
            Some(_) => None,
            None => self.fetch(repository, config)?,
        };
        base.stale = fetched == Some(false);
        let resolved = self.step(StepName::Resolve, |job| {
            let resolved = match base.commit.clone() {
                Some(commit) => {
                    Resolved { reference: base.reference.clone(), commit, warnings: Vec::new() }
                }
                None => job.look_up(repository, fetched == Some(true))?,
            };
            let detail = resolved.reference.as_ref().unwrap_or(&resolved.commit).clone();
            Ok((resolved, Outcome::Done, Some(detail)))
        })?;
        base.reference = resolved.reference;
        base.commit = Some(resolved.commit);
        for warning in resolved.warnings {
            self.warn(warning);
        }
        Ok(Some(base))
    }

    fn look_up(&self, repository: &Repository, fetched: bool) -> Result<Resolved, Stop> {
        Ok(match self.row.base.requested.as_deref() {
            None => base::default(repository, self.project.trunk.as_deref(), fetched)?,
            Some(base) => base::explicit(repository, base)?.ok_or_else(|| Error::BaseNotFound {
                base: base.to_owned(),
                project: self.project.path.to_path_buf(),
            })?,
        })
    }

    /// Asks the remote for the base's branch; answers whether it could be reached, and none if
    /// there was nothing to ask.
    fn fetch(&mut self, repository: &Repository, config: &Config) -> Result<Option<bool>, Stop> {
        let has_origin = base::has_origin(repository)?;
        let requested = self.row.base.requested.clone();
        let trunk = self.project.trunk.clone();
        let Some(branch) = base::remote_branch(requested.as_deref(), trunk.as_deref(), has_origin)
        else {
            return Ok(None);
        };
        self.step(StepName::Fetch, |job| {
            let (store, wanted) = (job.store, job.row.created_at);
            let fetched = fetch::fetched_since(
                job.machine,
                &job.project.path,
                repository.common_dir(),
                branch,
                config.workspace.fetch_timeout,
                (wanted, &|| store.now()),
                &job.cancel,
            )?;
            Ok(match fetched {
                Ok(()) => (Some(true), Outcome::Done, None),
                Err(why) => {
                    job.warn(format!("origin could not be asked for {branch}: {why}"));
                    (Some(false), Outcome::Warned, Some(why))
                }
            })
        })
    }
}
