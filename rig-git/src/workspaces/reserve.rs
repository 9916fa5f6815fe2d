//! Reservation: a name, a storage key, a branch and a path that nobody else has.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rig_core::caller::Caller;
use rig_core::id::WorkspaceId;
use rig_core::name::Name;
use rig_core::order::OrderKey;
use rig_core::project::{NamedBy, Project};
use rig_core::slug::{self, slug};
use rig_core::store::Tx;
use rig_core::workspace::{Base, Checkout, Kind, Origin, Status, Workspace};

use crate::error::{Error, Result};
use crate::repository::Repository;
use crate::{events, rows};

/// What a workspace without a name is called.
pub const PLACEHOLDER: &str = "Workspace";

/// What every branch that Rig chooses begins with.
const PREFIX: &str = "worktree/";

/// What refs and folders hold already, read just before the transaction.
#[derive(Clone, Debug)]
pub(super) enum Taken {
    /// Branches below `worktree/`, without it, and what lies in the project's folder of the root;
    /// all in lower case.
    Known { branches: HashSet<String>, folders: HashSet<String> },
    /// They could not be read: only names that hold the ID are safe.
    Unreadable,
}

impl Taken {
    /// Reads what is taken. A local branch `worktree` rules out all of `worktree/…`.
    pub(super) fn read(repository: Option<&Repository>, folder: &Path) -> Result<Self> {
        let Some(repository) = repository else { return Ok(Self::Unreadable) };
        let below = format!("refs/heads/{PREFIX}");
        match repository.reference("refs/heads/worktree") {
            Ok(Some(_)) => {
                return Err(Error::BranchConflict {
                    branch: "worktree".to_owned(),
                    why: "while a local branch has this name, git allows none below `worktree/`: \
                          rename it"
                        .to_owned(),
                });
            }
            Ok(None) => {}
            Err(_) => return Ok(Self::Unreadable),
        }
        let (Ok(refs), Ok(folders)) = (repository.refs_below(&below), names_in(folder)) else {
            return Ok(Self::Unreadable);
        };
        let branches = refs
            .iter()
            .filter_map(|(name, _)| name.strip_prefix(&below))
            .map(str::to_lowercase)
            .collect();
        Ok(Self::Known { branches, folders })
    }

    /// The same, with a branch that cannot be had.
    pub(super) fn and(mut self, branch: &str) -> Self {
        if let (Self::Known { branches, .. }, Some(name)) = (&mut self, branch.strip_prefix(PREFIX))
        {
            branches.insert(name.to_lowercase());
        }
        self
    }

    fn has_branch(&self, slug: &str) -> bool {
        match self {
            Self::Known { branches, .. } => {
                branches.contains(slug)
                    || branches.iter().any(|name| {
                        name.strip_prefix(slug).is_some_and(|rest| rest.starts_with('/'))
                    })
            }
            Self::Unreadable => false,
        }
    }

    fn has_key(&self, key: &str) -> bool {
        match self {
            Self::Known { branches, folders } => branches.contains(key) || folders.contains(key),
            Self::Unreadable => false,
        }
    }
}

/// The names of everything in a folder, in lower case; none if it is not there.
fn names_in(folder: &Path) -> std::io::Result<HashSet<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HashSet::new()),
        entries => entries?,
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().to_lowercase())).collect()
}

/// What is to be reserved, checked.
#[derive(Clone, Debug)]
pub(super) struct Reservation {
    pub(super) id: WorkspaceId,
    pub(super) name: Option<Name>,
    pub(super) base: Base,
    pub(super) warnings: Vec<String>,
    pub(super) caller: Caller,
    pub(super) restores: Option<WorkspaceId>,
    /// The canonical folder for the project's workspaces.
    pub(super) folder: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) taken: Taken,
}

/// Writes the row of a new workspace, `initializing` at version 1, and `workspace.created`.
pub(super) fn write_row(tx: &Tx<'_>, project: &Project, asked: &Reservation) -> Result<Workspace> {
    let requested =
        asked.name.clone().map_or_else(|| Name::new(PLACEHOLDER).map_err(Error::from), Ok)?;
    let name = unique_name(tx, project, &requested, None)?;
    let key = storage_key(tx, project, &requested, asked)?;
    let branch = free_branch(tx, project, &name, &asked.taken, asked.id, None)?;
    let first = rows::places(tx, project.id)?.into_iter().next();
    let workspace = Workspace {
        id: asked.id,
        project: project.id,
        kind: Kind::Worktree,
        origin: Origin::Managed,
        owner: asked.caller.agent(),
        name,
        named_by: match (&asked.name, asked.caller) {
            (None, _) => NamedBy::Rig,
            (Some(_), Caller::Person) => NamedBy::Person,
            (Some(_), Caller::Agent(_)) => NamedBy::Agent,
        },
        path: asked.folder.join(&key).into(),
        storage_key: key,
        branch,
        branch_given: false,
        actual_branch: None,
        common_dir: asked.common_dir.clone().into(),
        status: Status::Initializing,
        base: asked.base.clone(),
        checkout: Checkout::NotStarted,
        steps: Vec::new(),
        seen: None,
        error: None,
        warnings: asked.warnings.clone(),
        attempt: 1,
        version: 1,
        user_version: 1,
        order: OrderKey::between(None, first.as_ref().map(|(order, _)| order)),
        created_at: tx.now(),
        ready_at: None,
        archived_at: None,
        delete_branch: None,
        saved: None,
        restores: asked.restores,
    };
    rows::put(tx, &workspace)?;
    events::workspace(tx, "workspace.created", &workspace)?;
    Ok(workspace)
}

/// The name, or with a number, so that no other row of the project has it.
pub(super) fn unique_name(
    tx: &Tx<'_>,
    project: &Project,
    name: &Name,
    own: Option<WorkspaceId>,
) -> Result<Name> {
    name.unique(|name| {
        let holder = rows::name_holder(tx, project.id, &name.folded())?;
        Ok(holder.is_some() && holder != own)
    })
}

fn storage_key(
    tx: &Tx<'_>,
    project: &Project,
    requested: &Name,
    asked: &Reservation,
) -> Result<String> {
    let slug = slug(requested.as_str(), "workspace");
    if matches!(asked.taken, Taken::Unreadable) {
        return Ok(with_id(&slug, asked.id));
    }
    slug::unique(&slug, |key| {
        Ok(asked.taken.has_key(key) || rows::key_holder(tx, project.id, key)?.is_some())
    })
}

/// A branch of the name's slug that neither another row than `own` nor a ref has. The branch that
/// the workspace's worktree has, `has`, is its own.
pub(super) fn free_branch(
    tx: &Tx<'_>,
    project: &Project,
    name: &Name,
    taken: &Taken,
    own: WorkspaceId,
    has: Option<&str>,
) -> Result<String> {
    let slug = slug(name.as_str(), "workspace");
    if matches!(taken, Taken::Unreadable) {
        return Ok(format!("{PREFIX}{}", with_id(&slug, own)));
    }
    let slug = slug::unique(&slug, |slug| {
        let branch = format!("{PREFIX}{slug}");
        let holder = rows::branch_holder(tx, project.id, &branch)?;
        let by_other = holder.is_some_and(|holder| holder != own);
        Ok::<_, Error>(by_other || (has != Some(&branch) && taken.has_branch(slug)))
    })?;
    Ok(format!("{PREFIX}{slug}"))
}

/// A slug that no other workspace can have.
fn with_id(slug: &str, id: WorkspaceId) -> String {
    let digits = id.to_string();
    let digits = digits.trim_start_matches(WorkspaceId::PREFIX);
    format!("{}-{digits}", slug::shortened(slug, 20))
}
