use super::record::{Base, DeleteBranch, Status, Step, StoredError, Workspace};
use crate::time::Timestamp;
use crate::version::still_holds;

/// A change of status that is not allowed from where the workspace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a workspace that is {from} cannot become {to}")]
pub struct IllegalChange {
    /// Where it is.
    pub from: Status,
    /// Where it was to go.
    pub to: Status,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Initializing => "initializing",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Archiving => "archiving",
            Self::Archived => "archived",
        })
    }
}

impl Status {
    /// Whether a workspace of this status is off the list of active ones.
    #[must_use]
    pub fn is_archived(self) -> bool {
        matches!(self, Self::Archiving | Self::Archived)
    }

    fn may_become(self, to: Self) -> bool {
        matches!(
            (self, to),
            (Self::Initializing, Self::Ready | Self::Failed | Self::Archiving)
                | (Self::Failed, Self::Initializing | Self::Archiving)
                | (Self::Ready, Self::Archiving)
                | (Self::Archiving, Self::Archived)
        )
    }
}

/// Each change checks the state it leaves, so that a late one changes nothing.
impl Workspace {
    /// Steps kept with a row, the newest.
    pub const MAX_STEPS: usize = 200;

    fn become_status(&mut self, to: Status) -> Result<(), IllegalChange> {
        if !self.status.may_become(to) {
            return Err(IllegalChange { from: self.status, to });
        }
        self.status = to;
        self.version += 1;
        Ok(())
    }

    /// The base became a ref and a commit.
    pub fn base_resolved(&mut self, base: Base) {
        self.base = Base { resolved: true, ..base };
        self.version += 1;
    }

    /// Keeps a step that ended; the version stays.
    pub fn step_ended(&mut self, step: Step) {
        if self.steps.len() >= Self::MAX_STEPS {
            self.steps.remove(0);
        }
        self.steps.push(step);
    }

    /// All steps are done.
    ///
    /// # Errors
    ///
    /// [`IllegalChange`] unless it is `initializing`.
    pub fn become_ready(&mut self, now: Timestamp) -> Result<(), IllegalChange> {
        self.become_status(Status::Ready)?;
        self.ready_at = Some(now);
        Ok(())
    }

    /// A step failed.
    ///
    /// # Errors
    ///
    /// [`IllegalChange`] unless it is `initializing`.
    pub fn become_failed(&mut self, error: StoredError) -> Result<(), IllegalChange> {
        self.become_status(Status::Failed)?;
        self.error = Some(error);
        Ok(())
    }

    /// It is tried again: the error is cleared, the attempt counted, the steps begin anew.
    ///
    /// # Errors
    ///
    /// [`IllegalChange`] unless it is `failed`.
    pub fn become_retried(&mut self) -> Result<(), IllegalChange> {
        self.become_status(Status::Initializing)?;
        self.error = None;
        self.attempt += 1;
        self.steps.clear();
        Ok(())
    }

    /// It is archived; an edit.
    ///
    /// # Errors
    ///
    /// [`IllegalChange`] if it is archiving or archived already.
    pub fn become_archiving(
        &mut self,
        now: Timestamp,
        delete_branch: Option<DeleteBranch>,
    ) -> Result<(), IllegalChange> {
        self.become_status(Status::Archiving)?;
        self.error = None;
        self.archived_at = Some(now);
        self.delete_branch = delete_branch;
        self.user_version = self.version;
        Ok(())
    }

    /// Cleaning up ended, well or badly.
    ///
    /// # Errors
    ///
    /// [`IllegalChange`] unless it is `archiving`.
    pub fn become_archived(&mut self) -> Result<(), IllegalChange> {
        self.become_status(Status::Archived)
    }

    /// Counts a change of what a reply shows that nobody asked for by hand.
    pub fn changed(&mut self) {
        self.version += 1;
    }

    /// Counts an edit by the person or an agent.
    pub fn edited(&mut self) {
        self.version += 1;
        self.user_version = self.version;
    }

    /// Whether an edit that was made looking at version `expected` still holds.
    #[must_use]
    pub fn accepts(&self, expected: Option<u64>) -> bool {
        still_holds(expected, self.user_version, self.version)
    }
}
