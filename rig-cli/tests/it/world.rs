//! A machine of its own: a home, a state folder, a workspaces root, and a repository to work in.

use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use rig_cli::environment::Environment;
use serde_json::Value;
use tempfile::TempDir;

/// The command under test.
pub(crate) const RIG: &str = env!("CARGO_BIN_EXE_rig");

pub(crate) type TestResult = Result<(), Box<dyn Error>>;

pub(crate) struct World {
    folder: TempDir,
    pub(crate) repository: PathBuf,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    /// With a repository of one commit on `main` and no remote.
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::Builder::new().prefix("rig").tempdir()?;
        let real = folder.path().canonicalize()?;
        std::fs::create_dir(real.join("home"))?;
        let world = Self { folder, repository: real.join("retries") };
        world.git_in(&real, &["init", "-q", "-b", "main", "retries"])?;
        std::fs::write(world.repository.join("README"), "hello\n")?;
        world.commit("first")?;
        Ok(world)
    }

    /// As [`World::new`], cloned from a remote that is a folder beside it.
    pub(crate) fn cloned() -> Result<Self, Box<dyn Error>> {
        let world = Self::new()?;
        let (remote, clone) = (world.path("remote.git"), world.path("clone"));
        world.git(&["clone", "-q", "--bare", ".", &remote.to_string_lossy()])?;
        world.git(&["clone", "-q", &remote.to_string_lossy(), &clone.to_string_lossy()])?;
        Ok(Self { repository: clone, ..world })
    }

    /// A path in this world.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        // Canonical at the start, so that what rig prints compares equal.
        self.folder.path().canonicalize().unwrap_or_default().join(relative)
    }

    /// Where a workspace of the repository with this storage key lies.
    pub(crate) fn workspace(&self, key: &str) -> PathBuf {
        let project = self.repository.file_name().unwrap_or_default();
        self.path("workspaces").join(project).join(key)
    }

    /// `rig`, in the repository.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_in(&self.repository, args)
    }

    /// `rig`, in some folder.
    pub(crate) fn command_in<S: AsRef<OsStr>>(&self, folder: &Path, args: &[S]) -> Command {
        let mut command = self.clean(RIG, folder);
        command.args(args);
        command
    }

    /// Runs `rig` in the repository.
    pub(crate) fn rig(&self, args: &[&str]) -> Result<Said, Box<dyn Error>> {
        Ok(Said::from(self.command(args).output()?))
    }

    /// Runs `rig` in some folder.
    pub(crate) fn rig_in(&self, folder: &Path, args: &[&str]) -> Result<Said, Box<dyn Error>> {
        Ok(Said::from(self.command_in(folder, args).output()?))
    }

    /// Runs `rig --json` in the repository, which must succeed, and answers what it printed.
    pub(crate) fn json(&self, args: &[&str]) -> Result<Value, Box<dyn Error>> {
        let args: Vec<_> = ["--json"].iter().chain(args).copied().collect();
        let said = self.rig(&args)?.success()?;
        Ok(serde_json::from_str(&said)?)
    }

    /// Runs git in the repository, which must succeed, and answers what it printed, trimmed.
    pub(crate) fn git(&self, args: &[&str]) -> Result<String, Box<dyn Error>> {
        self.git_in(&self.repository, args)
    }

    /// As [`World::git`], in some folder.
    pub(crate) fn git_in(&self, folder: &Path, args: &[&str]) -> Result<String, Box<dyn Error>> {
        let mut command = self.clean("git", folder);
        command.args(["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]).args(args);
        let said = Said::from(command.output()?);
        Ok(said.success()?.trim_end().to_owned())
    }

    /// Commits everything in the repository.
    pub(crate) fn commit(&self, message: &str) -> TestResult {
        self.git(&["add", "--all"])?;
        self.git(&["commit", "-q", "--allow-empty", "-m", message]).map(drop)
    }

    /// Writes the project's `rig.toml`.
    pub(crate) fn configure(&self, toml: &str) -> TestResult {
        Ok(std::fs::write(self.repository.join("rig.toml"), toml)?)
    }

    /// The branches of the repository, without `refs/heads/`.
    pub(crate) fn branches(&self) -> Result<Vec<String>, Box<dyn Error>> {
        let listed = self.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"])?;
        Ok(listed.lines().map(str::to_owned).collect())
    }

    /// The environment of this world.
    pub(crate) fn environment(&self) -> Environment {
        let command = self.clean(RIG, &self.repository);
        Environment::new(command.get_envs().filter_map(|(key, value)| Some((key, value?))))
    }

    /// A program with the environment of this world only.
    pub(crate) fn clean(&self, program: impl AsRef<OsStr>, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("RIG_STATE_DIR", self.path("state"))
            .env("RIG_RUNTIME_DIR", self.path("run"))
            .env("RIG_WORKSPACES_DIRECTORY", self.path("workspaces"))
            .env("RIG_DAEMON", "never")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("SHELL", "/bin/sh");
        command
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Said {
    /// Standard output, if it succeeded.
    pub(crate) fn success(self) -> Result<String, Box<dyn Error>> {
        match self.status {
            Some(0) => Ok(self.stdout),
            _ => Err(format!("it was to succeed: {self:#?}").into()),
        }
    }

    /// The error it told as JSON, and how it ended.
    pub(crate) fn error(&self) -> Result<(String, Option<i32>), Box<dyn Error>> {
        let told: Value = serde_json::from_str(&self.stdout)?;
        let code = told["error"]["code"].as_str().ok_or("it told no error")?;
        Ok((code.to_owned(), self.status))
    }
}

/// Sends a signal, such as `-TERM`, by the shell's own `kill`: the program is not on every machine.
pub(crate) fn signal(child: &Child, name: &str) -> std::io::Result<ExitStatus> {
    let pid = child.id().to_string();
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "kill \"$1\" \"$2\"", "kill", name, &pid]).stderr(Stdio::null()).status()
}
