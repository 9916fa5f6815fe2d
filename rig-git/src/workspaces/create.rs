use std::path::PathBuf;
use std::time::Duration;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::config::{self, Config};
use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::name::Name;
use rig_core::project::{Project, Support};
use rig_core::store::{Read, Transact, Tx};
use rig_core::workspace::{Base, Workspace};

use super::base::{self, Resolved};
use super::fetch;
use super::reserve::{Reservation, Taken, write_row};
use super::root::canonical_root;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::projects::{disproved, trunk_of, usable};
use crate::repository::Repository;
use crate::{events, rows};

/// What to create.
#[derive(Clone, Debug)]
pub struct NewWorkspace {
    /// The project to cut it from.
    pub project: ProjectId,
    /// Its ID, made by the caller so that a repeated call makes nothing; else one is made.
    pub id: Option<WorkspaceId>,
    /// Its name as typed; without one it gets a placeholder.
    pub name: Option<String>,
    /// What to cut it from; the default is the trunk as the remote has it.
    pub base: Option<String>,
    /// Who creates it, and owns it.
    pub caller: Caller,
}

/// Checks and reserves: the row is `initializing`, its name, branch and path are chosen, and
/// [`super::materialize`] is due. The same ID again answers with the row as it stands.
///
/// An unknown base is an error now, before anything is reserved. One that needs no network becomes
/// a commit now; an `origin/…` that was never fetched is fetched here, for at most
/// `workspace.fetch_timeout`.
///
/// # Errors
///
/// `ProjectNotFound`, `BadName`, `BaseRefInvalid`, `BaseNotFound`, `NoBase`, `NotAGitProject`,
/// `NoCommits`, `IdConflict`, `BranchConflict`, `WorkspacesRootInvalid`, `Config`, `Cancelled`, and
/// what reading the repository fails with. Nothing is reserved then.
pub fn create(
    store: &impl Transact,
    machine: &Machine,
    new: NewWorkspace,
    cancel: &Cancel,
) -> Result<Workspace> {
    let planned = plan(store, machine, &new, cancel)?;
    store.write(move |tx| reserve(tx, &planned, &new))
}

/// The checks of [`create`], for a host that calls [`reserve`] in a transaction that holds more.
/// An ID that exists already needs none.
///
/// # Errors
///
/// As [`create`].
pub fn plan(
    store: &impl Transact,
    machine: &Machine,
    new: &NewWorkspace,
    cancel: &Cancel,
) -> Result<Planned> {
    match store.read(|read| existing_or_project(read, new))? {
        Either::Existing(workspace) => Ok(Planned(Plan::Existing(workspace.id))),
        Either::Project(project) => {
            let planned = plan_for(machine, (*project).clone(), new, None, cancel);
            if let Some(support) = planned.as_ref().err().and_then(disproved) {
                let found = Project { support, ..*project };
                store.write(move |tx| remember(tx, rows::project(tx, found.id)?, &found))?;
            }
            planned
        }
    }
}

pub(super) enum Either {
    Existing(Box<Workspace>),
    Project(Box<Project>),
}

pub(super) fn existing_or_project(read: &impl Read, new: &NewWorkspace) -> Result<Either> {
    if let Some(workspace) = existing(read, new)? {
        return Ok(Either::Existing(Box::new(workspace)));
    }
    let project = rows::project(read, new.project)?;
    if project.archived_at.is_some() {
        return Err(Error::ProjectNotFound { asked: format!("{} (it is archived)", project.id) });
    }
    Ok(Either::Project(Box::new(project)))
}

/// The workspace that was made under this ID, if the request is the same.
fn existing(read: &impl Read, new: &NewWorkspace) -> Result<Option<Workspace>> {
    let Some(id) = new.id else { return Ok(None) };
    let Some(workspace) = read.get(rows::WORKSPACES, &id)? else { return Ok(None) };
    let conflict = |field, stored: String, given: String| {
        Err(Error::IdConflict { id: id.to_string(), field, stored, given })
    };
    if workspace.project != new.project {
        return conflict("project", workspace.project.to_string(), new.project.to_string());
    }
    let given = new.base.as_deref().map(str::trim).filter(|base| !base.is_empty());
    match given {
        Some(given) if workspace.base.requested.as_deref() != Some(given) => {
            let stored = workspace.base.requested.clone();
            conflict("base_ref", stored.unwrap_or_else(|| "(none)".to_owned()), given.to_owned())
        }
        _ => Ok(Some(workspace)),
    }
}

/// A request that passed every check.
#[derive(Clone, Debug)]
pub struct Planned(Plan);

#[derive(Clone, Debug)]
enum Plan {
    Existing(WorkspaceId),
    New(Box<Checked>),
}

#[derive(Clone, Debug)]
struct Checked {
    project: Project,
    name: Option<Name>,
    base: Base,
    warnings: Vec<String>,
    restores: Option<WorkspaceId>,
    folder: PathBuf,
    common_dir: PathBuf,
    taken: Taken,
}

/// Checks a request; `at` is a commit that is the base whatever the request says, with the
/// workspace whose work is restored.
pub(super) fn plan_for(
    machine: &Machine,
    mut project: Project,
    new: &NewWorkspace,
    at: Option<(String, WorkspaceId)>,
    cancel: &Cancel,
) -> Result<Planned> {
    let name = new.name.as_deref().map(Name::new).transpose()?;
    let requested = base::checked(new.base.as_deref())?;
    let config = config::load(machine.user_config.as_deref(), &project.path)?;
    let repository = match usable(&machine.git, &project.path) {
        Ok(repository) => Some(repository),
        Err(error) if proves_nothing(&error) && project.support == Support::Supported => None,
        Err(error) => return Err(error),
    };
    if repository.is_some() {
        project.support = Support::Supported;
    }
    let common_dir = match &repository {
        Some(repository) => repository.common_dir().to_owned(),
        None => project.path.join(".git"),
    };
    let root = canonical_root(&machine.workspaces_root, &project.path, &common_dir)?;
    let folder = root.join(&project.storage_key);
    let taken = Taken::read(repository.as_ref(), &folder)?;
    let mut base = Base { requested, ..Base::default() };
    let mut warnings = Vec::new();
    let mut restores = None;
    if let Some((commit, archived)) = at {
        base.commit = Some(commit);
        restores = Some(archived);
    } else if let Some(repository) = &repository {
        project.trunk = trunk_of(repository, project.trunk.as_deref())?;
        let found =
            check(machine, &project, repository, &config, base.requested.as_deref(), cancel)?;
        if let Some(resolved) = found {
            base.reference = resolved.reference;
            base.commit = Some(resolved.commit);
            warnings = resolved.warnings;
        }
    }
    Ok(Planned(Plan::New(Box::new(Checked {
        project,
        name,
        base,
        warnings,
        restores,
        folder,
        common_dir,
        taken,
    }))))
}

/// Whether an error says nothing about what the folder is.
fn proves_nothing(error: &Error) -> bool {
    !matches!(
        error,
        Error::NotAGitProject { .. }
            | Error::NoCommits { .. }
            | Error::RepositoryNotTrusted { .. }
            | Error::RepositoryFormat { .. }
            | Error::GitNotFound
            | Error::GitTooOld { .. }
            | Error::Cancelled
    )
}

/// Resolves a base that can be resolved now; none if the remote must be asked first, in the
/// background, for a base that is known.
fn check(
    machine: &Machine,
    project: &Project,
    repository: &Repository,
    config: &Config,
    base: Option<&str>,
    cancel: &Cancel,
) -> Result<Option<Resolved>> {
    let trunk = project.trunk.as_deref();
    let has_origin = base::has_origin(repository)?;
    let not_found = |base: &str| Error::BaseNotFound {
        base: base.to_owned(),
        project: project.path.to_path_buf(),
    };
    match (base, base::remote_branch(base, trunk, has_origin)) {
        (None, None) => base::default(repository, trunk, false).map(Some),
        (None, Some(_)) => Ok(None),
        (Some(base), None) => {
            base::explicit(repository, base)?.map(Some).ok_or_else(|| not_found(base))
        }
        (Some(base), Some(branch)) => {
            if repository.commit(base)?.is_some() {
                return Ok(None);
            }
            let limit: Duration = config.workspace.fetch_timeout;
            // That it failed shows in what it did not bring.
            let _ = fetch::fetch(machine, &project.path, branch, limit, cancel)?;
            let repository = usable(&machine.git, &project.path)?;
            base::explicit(&repository, base)?.map(Some).ok_or_else(|| not_found(base))
        }
    }
}

/// Reserves what was planned, in a transaction that may hold more. If that rolls back, nothing was
/// made; [`super::materialize`] is due only after its commit.
///
/// # Errors
///
/// `ProjectNotFound`, `IdConflict`, the store's.
pub fn reserve(tx: &Tx<'_>, planned: &Planned, new: &NewWorkspace) -> Result<Workspace> {
    let project = match existing_or_project(tx, new)? {
        Either::Existing(workspace) => return Ok(*workspace),
        Either::Project(project) => *project,
    };
    let planned = match &planned.0 {
        Plan::New(checked) => checked,
        Plan::Existing(id) => return Err(Error::WorkspaceNotFound { asked: id.to_string() }),
    };
    tx.ensure_room()?;
    let project = remember(tx, project, &planned.project)?;
    let reservation = Reservation {
        id: new.id.unwrap_or_else(|| WorkspaceId::generate(tx.now())),
        name: planned.name.clone(),
        base: planned.base.clone(),
        warnings: planned.warnings.clone(),
        caller: new.caller,
        restores: planned.restores,
        folder: planned.folder.clone(),
        common_dir: planned.common_dir.clone(),
        taken: planned.taken.clone(),
    };
    write_row(tx, &project, &reservation)
}

/// Keeps what was found out about the project.
fn remember(tx: &Tx<'_>, mut project: Project, found: &Project) -> Result<Project> {
    if project.trunk != found.trunk || project.support != found.support {
        project.trunk.clone_from(&found.trunk);
        project.support.clone_from(&found.support);
        project.changed();
        rows::put_project(tx, &project)?;
        events::project(tx, "project.changed", &project)?;
    }
    Ok(project)
}
