//! A machine of its own for each test: a home, a state folder, a store, real repositories.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use rig_core::clock::ManualClock;
use rig_core::store::{Options, Store};
use rig_core::time::Timestamp;
use rig_git::Machine;
use rig_git::turns::Locks;
use tempfile::TempDir;

/// What a test returns, so that it may use `?`.
pub(crate) type TestResult = Result<(), Box<dyn std::error::Error>>;

const GIT_CONFIG: &str = "[user]\n\tname = Tester\n\temail = tester@example.com\n\
    [init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n\
    [advice]\n\tdetachedHead = false\n[commit]\n\tgpgSign = false\n[gc]\n\tauto = 0\n";

/// A temporary machine.
pub(crate) struct World {
    dir: TempDir,
    root: PathBuf,
    locks: Locks,
    store: Option<Store>,
    /// The time, which stands still until it is moved.
    pub(crate) clock: Arc<ManualClock>,
}

#[allow(dead_code)] // Each subject uses its part.
impl World {
    /// An empty machine on which the year 2026 begins.
    pub(crate) fn new() -> Self {
        let dir = TempDir::with_prefix("rig ").unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["home", "state"] {
            fs::create_dir(root.join(folder)).unwrap();
        }
        fs::write(root.join("home/.gitconfig"), GIT_CONFIG).unwrap();
        let start = Timestamp::from_millis(1_767_225_600_000).unwrap();
        let clock = Arc::new(ManualClock::new(start));
        let mut world = Self { dir, root, locks: Locks::default(), store: None, clock };
        world.restart();
        world
    }

    /// The folder that all of the machine lies in; canonical, and with a space in it.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    /// The workspaces root, which is not made here.
    pub(crate) fn workspaces(&self) -> PathBuf {
        self.root.join("workspaces")
    }

    pub(crate) fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    /// Closes the store and opens it again, as the next process does: it holds no locks.
    pub(crate) fn restart(&mut self) {
        self.store = None;
        let options = Options { clock: self.clock.clone(), ..Options::default() };
        self.store = Some(Store::open(&self.state().join("rig.redb"), options).unwrap());
        self.locks = Locks::default();
    }

    /// The environment that git runs in: the test's `PATH` and the machine's home.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), self.home().into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ]
    }

    pub(crate) fn machine(&self) -> Machine {
        self.machine_with(&[])
    }

    /// The machine with further environment variables; of two with one name the last counts.
    pub(crate) fn machine_with(&self, further: &[(&str, &OsStr)]) -> Machine {
        let mut environment = self.environment();
        for (name, value) in further {
            environment.retain(|(known, _)| known != name);
            environment.push(((*name).into(), (*value).to_owned()));
        }
        let machine = Machine::new(environment, self.state(), self.workspaces()).unwrap();
        Machine { shell: "/bin/sh".into(), locks: self.locks.clone(), ..machine }
    }

    /// A folder with a program called `name`, a shell script, to be put first in `PATH`.
    pub(crate) fn program(&self, name: &str, script: &str) -> PathBuf {
        let folder = self.root.join("programs");
        fs::create_dir_all(&folder).unwrap();
        // Written by another process: while this one has the file open, a child that another thread
        // just forked has it too, and a program that is open for writing cannot be run.
        let mut write = Command::new("/bin/sh");
        write.args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"]);
        assert!(write.arg(folder.join(name)).arg(script).status().unwrap().success());
        folder
    }

    /// The `PATH` that finds `first` before all else.
    pub(crate) fn path_with(&self, first: &Path) -> OsString {
        let environment = self.environment();
        let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path);
        let folders = std::iter::once(first.to_owned()).chain(std::env::split_paths(path.unwrap()));
        std::env::join_paths(folders).unwrap()
    }

    /// Runs git in a folder, whatever comes of it.
    pub(crate) fn try_git<S: AsRef<OsStr>>(&self, args: &[S], folder: &Path) -> Output {
        let mut git = Command::new("git");
        git.args(args).current_dir(folder).env_clear().envs(self.environment());
        git.output().unwrap()
    }

    /// Runs git in a folder, which must succeed, and answers what it printed, trimmed.
    #[track_caller]
    pub(crate) fn git<S: AsRef<OsStr> + std::fmt::Debug>(
        &self,
        args: &[S],
        folder: &Path,
    ) -> String {
        let output = self.try_git(args, folder);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// A repository with one commit on `main`, in a folder of that name.
    pub(crate) fn repository(&self, name: impl AsRef<Path>) -> PathBuf {
        self.repository_with(name, &[])
    }

    /// The same, made by `git init` with these options.
    pub(crate) fn repository_with(&self, name: impl AsRef<Path>, options: &[&str]) -> PathBuf {
        let path = self.unborn(name, options);
        self.commit(&path, "README.md", "first");
        path
    }

    /// A repository without any commit.
    pub(crate) fn unborn(&self, name: impl AsRef<Path>, options: &[&str]) -> PathBuf {
        let path = self.root.join(name);
        fs::create_dir_all(&path).unwrap();
        self.git(&[&["init", "-q"], options].concat(), &path);
        path
    }

    /// A clone of `origin` in a folder of that name.
    pub(crate) fn clone_of(&self, origin: &Path, name: impl AsRef<Path>) -> PathBuf {
        let path = self.root.join(name);
        let args =
            [OsStr::new("clone"), "-q".as_ref(), "--".as_ref(), origin.as_ref(), path.as_ref()];
        self.git(&args, &self.root);
        path
    }

    /// Writes `text` into a file of the repository and commits it; answers the commit.
    pub(crate) fn commit(&self, repository: &Path, file: &str, text: &str) -> String {
        self.write(repository.join(file), text);
        self.git(&["add", "--", file], repository);
        self.git(&["commit", "-q", "-m", text], repository);
        self.git(&["rev-parse", "HEAD"], repository)
    }

    /// Writes a file, its folders too.
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // So that the temporary folder can go, whatever a test has made unwritable.
        let chmod = Command::new("chmod").args(["-R", "u+rwX"]).arg(self.dir.path()).output();
        drop(chmod);
    }
}
