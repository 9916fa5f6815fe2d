//! Waiting for the work on workspaces, which goes on in the background.

use std::sync::Arc;
use std::time::Duration;

use rig_core::id::WorkspaceId;
use rig_core::store::{Transact as _, journal};
use rig_core::workspace::{Status, Workspace};
use rig_git::workspaces;
use tokio::time::timeout;

use super::error::{Error, Result};
use super::leader::{CleanedUp, Done, Hold, Items, News, Session, blocking};
use crate::operations::{
    ArchiveWorkspace, ArchivedWorkspace, AwaitArchived, AwaitBranch, AwaitWorkspace, WorkProgress,
    WorkspaceReply,
};

/// How long the answer to an archiving waits for the report of what is lost.
const REPORT: Duration = Duration::from_secs(5);

/// Events in which the report of a cleanup is looked for.
const REPORTED: usize = 1000;

impl Session {
    async fn row_now(&self, id: WorkspaceId) -> Result<Workspace> {
        let core = Arc::clone(&self.core);
        blocking(move || Ok(core.store.read(|read| workspaces::get(read, id))?)).await
    }

    async fn shown(&self, row: Workspace) -> Result<WorkspaceReply> {
        let session = self.clone();
        blocking(move || session.look(row)).await
    }

    /// Waits until a row, or the work on it, is as wanted, telling how that goes on; answers with the
    /// row, and with what came of the work if it was done here.
    async fn until(
        &self,
        id: WorkspaceId,
        items: Option<&Items>,
        over: impl Fn(&Workspace, &News) -> bool,
    ) -> Result<(Workspace, News)> {
        let mut wanted = self.core.works.want(&self.core, id, self.own);
        loop {
            let news = wanted.news.borrow_and_update().clone();
            let row = self.row_now(id).await?;
            if over(&row, &news) {
                return Ok((row, news));
            }
            if let Some(Err(failure)) = news.done {
                return Err(Error::Failed(failure));
            }
            tell(&news, items).await;
            if wanted.news.changed().await.is_err() {
                // The leader leaves; whoever asked asks the next one.
                std::future::pending::<()>().await;
            }
        }
    }
}

async fn tell(news: &News, items: Option<&Items>) {
    if let (Some(progress), Some(items)) = (&news.progress, items) {
        let progress: &WorkProgress = progress;
        items.send(progress).await;
    }
}

impl Hold<AwaitWorkspace> for Session {
    async fn hold(self, asked: AwaitWorkspace, items: Items) -> Result<WorkspaceReply> {
        let over = |row: &Workspace, _: &News| row.status != Status::Initializing;
        let (row, _) = self.until(asked.workspace_id, Some(&items), over).await?;
        self.shown(row).await
    }
}

impl Hold<AwaitBranch> for Session {
    async fn hold(self, asked: AwaitBranch, items: Items) -> Result<WorkspaceReply> {
        let over = |row: &Workspace, _: &News| !workspaces::is_pending(row);
        let (row, _) = self.until(asked.workspace_id, Some(&items), over).await?;
        self.shown(row).await
    }
}

impl Hold<AwaitArchived> for Session {
    async fn hold(self, asked: AwaitArchived, items: Items) -> Result<ArchivedWorkspace> {
        let over = |row: &Workspace, _: &News| row.status != Status::Archiving;
        let (row, news) = self.until(asked.workspace_id, Some(&items), over).await?;
        self.archived(row, news).await
    }
}

impl Hold<ArchiveWorkspace> for Session {
    /// Archives the row, and waits a little for what the cleanup finds.
    async fn hold(self, asked: ArchiveWorkspace, _items: Items) -> Result<ArchivedWorkspace> {
        let id = asked.workspace_id;
        let session = self.clone();
        let (row, lost) = blocking(move || {
            let core = &session.core;
            if asked.dry_run {
                let row = core.store.read(|read| workspaces::get(read, id))?;
                let machine = core.machine()?;
                let lost = workspaces::would_lose(&core.store, machine, id, &session.cancel)?;
                return Ok((row, Some(lost)));
            }
            let (delete, expected) = (asked.delete_branch, asked.expected_version);
            let row = workspaces::archive(&core.store, id, delete, session.caller, expected)?;
            core.works.stop(id);
            Ok((row, None))
        })
        .await?;
        if asked.dry_run {
            let workspace = self.shown(row).await?;
            return Ok(ArchivedWorkspace { workspace, lost, kept: None, branch_kept: None });
        }
        let over =
            |row: &Workspace, news: &News| row.status != Status::Archiving || news.lost.is_some();
        match timeout(REPORT, self.until(id, None, over)).await {
            Ok(Ok((row, news))) => self.archived(row, news).await,
            // For the row it is done: what the cleanup fails with is told to who waits for that.
            Ok(Err(_)) | Err(_) => self.archived(row, News::default()).await,
        }
    }
}

impl Session {
    /// An archived row with the report of its cleanup, whoever did that.
    async fn archived(&self, row: Workspace, news: News) -> Result<ArchivedWorkspace> {
        let cleaned = match news.done {
            Some(Ok(Done::CleanedUp(cleaned))) => *cleaned,
            _ if row.status == Status::Archived => self.reported(row.id).await?,
            _ => CleanedUp { lost: news.lost, ..CleanedUp::default() },
        };
        let CleanedUp { lost, kept, branch_kept } = cleaned;
        Ok(ArchivedWorkspace { workspace: self.shown(row).await?, lost, kept, branch_kept })
    }

    /// What the journal says of a cleanup, if that was not long ago.
    async fn reported(&self, id: WorkspaceId) -> Result<CleanedUp> {
        let core = Arc::clone(&self.core);
        blocking(move || {
            let page = core.store.read(|read| journal::newest(read, None, REPORTED))?;
            let id = id.to_string();
            let told = page
                .events
                .into_iter()
                .rev()
                .find(|event| event.kind == "workspace.archived" && event.about.contains(&id));
            let report = told.and_then(|event| serde_json::from_value(event.data).ok());
            Ok(report.unwrap_or_default())
        })
        .await
    }
}
