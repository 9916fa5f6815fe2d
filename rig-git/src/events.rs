//! Events of projects and workspaces: each carries the row as it then is.

use rig_core::path::RawPath;
use rig_core::project::Project;
use rig_core::store::Tx;
use rig_core::workspace::Workspace;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Result;

/// The row of a project, as replies name its fields.
fn project_row(project: &Project) -> Value {
    json!({
        "id": project.id,
        "name": project.name,
        "storageKey": project.storage_key,
        "path": text(&project.path),
        "pathBytes": project.path.bytes_unless_text(),
        "folderState": project.folder,
        "trunk": project.trunk,
        "worktreeSupport": project.support.word(),
        "reason": project.support.reason(),
        "archived": project.archived_at.is_some(),
        "version": project.version,
        "userVersion": project.user_version,
    })
}

/// The row of a workspace, as replies name its fields. It never has the owner's ID.
fn workspace_row(workspace: &Workspace) -> Value {
    json!({
        "id": workspace.id,
        "projectId": workspace.project,
        "name": workspace.name,
        "path": text(&workspace.path),
        "pathBytes": workspace.path.bytes_unless_text(),
        "status": workspace.status,
        "archived": workspace.status.is_archived(),
        "storageKey": workspace.storage_key,
        "branch": workspace.branch,
        "base": {
            "requested": workspace.base.requested,
            "ref": workspace.base.reference,
            "commit": workspace.base.commit,
            "stale": workspace.base.stale,
        },
        "error": workspace.error,
        "warnings": workspace.warnings,
        "version": workspace.version,
        "userVersion": workspace.user_version,
        "createdAt": workspace.created_at,
        "readyAt": workspace.ready_at,
        "archivedAt": workspace.archived_at,
    })
}

fn text(path: &RawPath) -> String {
    path.to_string_lossy().into_owned()
}

pub(crate) fn project(tx: &Tx<'_>, kind: &'static str, project: &Project) -> Result<()> {
    let data = json!({ "project": project_row(project) });
    Ok(tx.event(kind, &[&project.id], None, &data)?)
}

pub(crate) fn workspace(tx: &Tx<'_>, kind: &'static str, workspace: &Workspace) -> Result<()> {
    workspace_with(tx, kind, workspace, &json!({}))
}

/// An event that says more than the row: the fields of `more`, an object, beside it.
pub(crate) fn workspace_with(
    tx: &Tx<'_>,
    kind: &'static str,
    workspace: &Workspace,
    more: &impl Serialize,
) -> Result<()> {
    let mut data = json!({ "workspace": workspace_row(workspace) });
    if let (Value::Object(data), Ok(Value::Object(more))) = (&mut data, serde_json::to_value(more))
    {
        data.extend(more);
    }
    let about: [&dyn std::fmt::Display; 2] = [&workspace.id, &workspace.project];
    Ok(tx.event(kind, &about, workspace.owner, &data)?)
}
