use rig_core::config::DaemonMode;
use rig_core::id::WorkspaceId;
use rig_core::store::Transact as _;
use rig_core::workspace::Status;
use rig_git::progress::Progress;
use rig_git::workspaces;

use super::error::Result;
use super::open::Node;
use super::worker;
use crate::operations::{ArchivedWorkspace, WorkspaceReply};

/// Who goes on with work that is left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftTo {
    /// A process in the background, which ends with the work.
    Background,
    /// Nobody, until a command is asked to.
    NextCommand,
}

/// The work that operations leave to be done. In this version whoever waits for it does it.
impl Node {
    /// Waits until a workspace is `initializing` no more, and answers with it as it then is.
    ///
    /// # Errors
    ///
    /// `cancelled` if this node's flag was set; the work is then still to be done. Those of the store.
    pub fn await_ready(
        &self,
        id: WorkspaceId,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<WorkspaceReply> {
        let machine = self.machine()?;
        let row = workspaces::materialize(self.store()?, machine, id, progress, &self.cancel)?;
        self.look(row)
    }

    /// Waits until git's branch has followed the last rename of a workspace.
    ///
    /// # Errors
    ///
    /// As [`Node::await_ready`].
    pub fn await_branch(&self, id: WorkspaceId) -> Result<WorkspaceReply> {
        let row = workspaces::move_branch(self.store()?, self.machine()?, id, &self.cancel)?;
        self.look(row)
    }

    /// Waits until a workspace is cleaned up, and answers with what its folder held.
    ///
    /// # Errors
    ///
    /// As [`Node::await_ready`].
    pub fn await_archived(&self, id: WorkspaceId) -> Result<ArchivedWorkspace> {
        let cleaned = workspaces::clean_up(self.store()?, self.machine()?, id, &self.cancel)?;
        Ok(ArchivedWorkspace {
            workspace: self.look(cleaned.workspace)?,
            lost: cleaned.lost,
            kept: cleaned.kept,
            branch_kept: cleaned.branch_kept,
        })
    }

    /// Who goes on with work that is left behind.
    ///
    /// # Errors
    ///
    /// If the user's configuration or the environment cannot be read.
    pub fn work_is_left_to(&self) -> Result<LeftTo> {
        Ok(match self.daemon()? {
            DaemonMode::Auto => LeftTo::Background,
            DaemonMode::Never | DaemonMode::Require => LeftTo::NextCommand,
        })
    }

    /// Starts a background process if work is due, whoever left it behind: this command, or one
    /// that was killed. Nothing is started where nothing is to be left running.
    ///
    /// The process is the running program, with the argument `__work`: a host that is not `rig` calls
    /// [`Node::work_until_done`] on a thread of its own instead.
    ///
    /// # Errors
    ///
    /// If it cannot be started; those of the store.
    pub fn leave_work(&self) -> Result<()> {
        if self.work_is_left_to()? == LeftTo::NextCommand {
            return Ok(());
        }
        let due = self.store()?.read(workspaces::pending)?;
        if due.is_empty() {
            return Ok(());
        }
        worker::start(&self.state)
    }

    /// Does the work that is due for one workspace, whatever that is.
    pub(super) fn carry_on(&self, id: WorkspaceId, status: Status) -> Result<()> {
        match status {
            Status::Archiving => self.await_archived(id).map(drop),
            Status::Initializing => self.await_ready(id, &mut |_| {}).map(drop),
            Status::Ready | Status::Failed | Status::Archived => self.await_branch(id).map(drop),
        }
    }
}
