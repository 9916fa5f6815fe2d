use rig_core::config::DaemonMode;
use rig_core::id::WorkspaceId;
use rig_core::workspace::Status;
use serde::Serialize;

use crate::app::Cli;
use crate::commands::Ended;
use crate::error::CliError;
use crate::exit::Exit;
use crate::operations::{ArchivedWorkspace, AwaitArchived, AwaitWorkspace, WorkspaceReply};
use crate::output::{Page, Show};
use crate::progress::Drawn;
use crate::protocol::Failure;

/// A workspace of which people see the path, byte for byte.
#[derive(Serialize)]
#[serde(transparent)]
struct Placed<'a>(&'a WorkspaceReply);

impl Show for Placed<'_> {
    fn show(&self, page: &mut Page) {
        page.path(self.0.path.as_path());
    }
}

/// Ends a command that gives a workspace: waits until it is ready, if `wait`, and prints its path.
pub(super) fn finish(cli: &Cli, mut workspace: WorkspaceReply, wait: bool) -> Ended {
    if workspace.status == Status::Initializing {
        if wait {
            workspace = ready(cli, &workspace)?;
        } else {
            tell_who_goes_on(cli, workspace.id)?;
        }
    }
    match workspace.status {
        Status::Failed => Err(failed(&workspace)),
        Status::Ready => {
            for warning in &workspace.warnings {
                cli.output.warn(warning);
            }
            cli.output.show(&Placed(&workspace))?;
            Ok(Exit::Done)
        }
        Status::Initializing if !wait => {
            cli.output.show(&Placed(&workspace))?;
            Ok(Exit::Done)
        }
        status => {
            let message = format!("the workspace {:?} is {status}", workspace.name);
            let detail = serde_json::to_value(&workspace).ok();
            Err(CliError::new("workspace_not_ready", message).told(|told| told.detail = detail))
        }
    }
}

fn ready(cli: &Cli, workspace: &WorkspaceReply) -> Result<WorkspaceReply, CliError> {
    let drawn = Drawn::new(cli.output);
    let asked = AwaitWorkspace { workspace_id: workspace.id };
    let ready = cli.patient_node()?.stream(asked, &mut |news| drawn.tell(news));
    drawn.clear();
    ready.map_err(|error| interrupted(cli, error, workspace.id))
}

/// Cleans an archived workspace up, and tells what was kept and why.
pub(in crate::commands) fn cleaned_up(
    cli: &Cli,
    id: WorkspaceId,
) -> Result<ArchivedWorkspace, CliError> {
    let cleaned = cli.patient_node()?.call(AwaitArchived { workspace_id: id });
    let cleaned = cleaned.map_err(|error| interrupted(cli, error, id))?;
    tell_kept(cli, &cleaned);
    Ok(cleaned)
}

/// Tells what was kept, and why.
pub(super) fn tell_kept(cli: &Cli, cleaned: &ArchivedWorkspace) {
    let name = &cleaned.workspace.name;
    if let Some(kept) = &cleaned.kept {
        let path = cleaned.workspace.path.as_path().display();
        cli.output.warn(&format!("the folder of {name:?} is kept at {path}: {kept}"));
    }
    if let Some(kept) = &cleaned.branch_kept {
        let branch = &cleaned.workspace.branch;
        cli.output.warn(&format!("the branch {branch:?} is kept: {kept}"));
    }
}

/// An interrupted wait gives up nothing: the work goes on.
pub(super) fn interrupted(cli: &Cli, error: Failure, id: WorkspaceId) -> CliError {
    if error.code != "cancelled" {
        return error.into();
    }
    match tell_who_goes_on(cli, id) {
        Ok(()) => {
            let message = format!("interrupted: the work on {id} is not given up");
            CliError::new("cancelled", message)
                .hint(format!("`rig workspace show {id}` tells how far it is"))
        }
        Err(error) => error,
    }
}

/// Tells who goes on with the work that is due for a workspace.
fn tell_who_goes_on(cli: &Cli, id: WorkspaceId) -> Result<(), CliError> {
    let node = cli.node()?;
    if !node.is_resident() && node.daemon_mode()? == DaemonMode::Never {
        cli.output.note(&format!(
            "nothing is left running: it goes on with the next `rig workspace retry {id}`"
        ));
    }
    Ok(())
}

/// The error of a failed workspace.
fn failed(workspace: &WorkspaceReply) -> CliError {
    let (code, message) = match &workspace.error {
        Some(error) => (error.code.as_str(), error.message.as_str()),
        None => ("internal", "the workspace failed and left no error"),
    };
    let id = workspace.id;
    CliError::new(code, message).exit(Exit::Failed).told(|told| {
        told.facts.push(("workspace", format!("{id} {:?}", workspace.name)));
        told.facts.push(("path", workspace.path.as_path().display().to_string()));
        if let Some(log) = &workspace.setup_log {
            told.facts.push(("log", log.display().to_string()));
        }
        let next = format!(
            "`rig workspace retry {id}` tries again, `rig workspace archive {id}` gives it up"
        );
        told.hint = Some(match told.hint.take() {
            Some(hint) => format!("{hint}; then {next}"),
            None => next,
        });
        told.detail = serde_json::to_value(workspace).ok();
    })
}
