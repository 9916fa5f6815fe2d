//! A project on a machine of its own, for the tests of what an archive does.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::project::Project;
use rig_core::workspace::{DeleteBranch, Status, Workspace};
use rig_git::archive::Lost;
use rig_git::workspaces::{self, Cleaned, NewWorkspace};
use rig_git::{Result, projects};

use crate::life::named;
use crate::world::World;

pub(crate) struct Desk {
    pub(crate) world: World,
    /// The project's folder.
    pub(crate) root: PathBuf,
    project: Project,
}

impl Desk {
    /// A repository with one commit on `main` and no remote.
    pub(crate) fn new() -> Self {
        Self::on(|world| world.repository("project"))
    }

    /// The same, cloned from one that it calls `origin`.
    pub(crate) fn cloned() -> Self {
        Self::on(|world| {
            let origin = world.repository("origin");
            world.clone_of(&origin, "project")
        })
    }

    pub(crate) fn on(make: impl FnOnce(&World) -> PathBuf) -> Self {
        let world = World::new();
        let root = make(&world);
        let project = projects::add(world.store(), &world.machine(), &root, None).unwrap();
        Self { world, root, project }
    }

    /// A ready workspace.
    #[track_caller]
    pub(crate) fn workspace(&self, name: &str) -> Workspace {
        self.workspace_from(name, None)
    }

    #[track_caller]
    pub(crate) fn workspace_from(&self, name: &str, base: Option<&str>) -> Workspace {
        let new = NewWorkspace { base: base.map(str::to_owned), ..named(self.project.id, name) };
        self.made(&self.world.try_reserve(new).unwrap())
    }

    /// A workspace that nobody has begun to make.
    pub(crate) fn reserve(&self, name: &str) -> Workspace {
        self.world.reserve(&self.project, name)
    }

    #[track_caller]
    fn made(&self, reserved: &Workspace) -> Workspace {
        let made = self.world.materialize(reserved.id);
        assert_eq!(made.status, Status::Ready, "{:?}", made.error);
        made
    }

    /// Archives and cleans up.
    pub(crate) fn archive(&self, workspace: &Workspace) -> Cleaned {
        self.archive_with_branch(workspace, None)
    }

    pub(crate) fn archive_with_branch(
        &self,
        workspace: &Workspace,
        delete_branch: Option<DeleteBranch>,
    ) -> Cleaned {
        let (store, machine) = (self.world.store(), self.world.machine());
        workspaces::archive(store, workspace.id, delete_branch, Caller::Person, None).unwrap();
        let cleaned = workspaces::clean_up(store, &machine, workspace.id, &Cancel::new()).unwrap();
        assert_eq!(cleaned.workspace.status, Status::Archived);
        assert_eq!(cleaned.workspace.error, None);
        cleaned
    }

    pub(crate) fn lost(&self, workspace: &Workspace) -> Lost {
        let (store, machine) = (self.world.store(), self.world.machine());
        workspaces::would_lose(store, &machine, workspace.id, &Cancel::new()).unwrap()
    }

    /// A new workspace with the saved work of an archived one.
    #[track_caller]
    pub(crate) fn restored(&self, archived: &Workspace) -> Workspace {
        self.made(&self.restore(archived).unwrap())
    }

    pub(crate) fn restore(&self, archived: &Workspace) -> Result<Workspace> {
        let (store, machine) = (self.world.store(), self.world.machine());
        workspaces::restore_work(
            store,
            &machine,
            archived.id,
            None,
            None,
            Caller::Person,
            &Cancel::new(),
        )
    }

    #[track_caller]
    pub(crate) fn git<S: AsRef<OsStr> + std::fmt::Debug>(
        &self,
        args: &[S],
        folder: &Path,
    ) -> String {
        self.world.git(args, folder)
    }

    /// What `git status` says of a workspace, a line a file.
    #[track_caller]
    pub(crate) fn status(&self, workspace: &Workspace) -> Vec<String> {
        let args = ["status", "--porcelain=v1", "--untracked-files=all", "--no-renames", "-z"];
        let said = self.world.try_git(&args, &workspace.path);
        assert!(said.status.success(), "{said:?}");
        let said = String::from_utf8(said.stdout).unwrap();
        said.split_terminator('\0').map(str::to_owned).collect()
    }

    /// Commits a file with this content in the project's folder.
    pub(crate) fn commit(&self, file: &str, text: &str) -> String {
        self.world.commit(&self.root, file, text)
    }

    /// The names that git lists worktrees by.
    pub(crate) fn entries(&self) -> Vec<String> {
        let list = self.git(&["worktree", "list", "--porcelain"], &self.root);
        let paths = list.lines().filter_map(|line| line.strip_prefix("worktree "));
        paths.skip(1).map(str::to_owned).collect()
    }
}

/// Writes a file, its folders too.
pub(crate) fn write(path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
    let path = path.as_ref();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

pub(crate) fn exists(path: impl AsRef<Path>) -> bool {
    path.as_ref().symlink_metadata().is_ok()
}
