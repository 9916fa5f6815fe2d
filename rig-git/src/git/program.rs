use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rustix::fs::Access;

use super::call::{Call, Kind};
use super::environment::{ALWAYS, is_kept};
use super::version::Version;
use crate::error::{Error, Result};
use crate::process::{self, Stream};

/// How long a git may take to tell its version.
const VERSION_LIMIT: Duration = Duration::from_secs(5);

/// The git program and the environment it runs in. Clones share what is known of its version.
#[derive(Clone, Debug)]
pub struct Git(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
    version: OnceLock<Version>,
}

impl Git {
    /// The git program that `PATH` of `environment` finds: the first absolute one. It is not
    /// started here; its version is looked at before its first command.
    ///
    /// Its commands get `environment` without what [`super::sanitized`] removes.
    ///
    /// # Errors
    ///
    /// [`Error::GitNotFound`].
    pub fn find(mut environment: Vec<(OsString, OsString)>) -> Result<Self> {
        let path = environment.iter().rfind(|(name, _)| name == "PATH").map(|(_, value)| value);
        let program = std::env::split_paths(path.map_or(OsStr::new(""), OsString::as_os_str))
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join("git"))
            .find(|program| is_program(program))
            .ok_or(Error::GitNotFound)?;
        environment.retain(|(name, _)| is_kept(name));
        Ok(Self(Arc::new(Inner { program, environment, version: OnceLock::new() })))
    }

    /// The program's absolute path.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.0.program
    }

    /// The program's version. It is asked for once.
    ///
    /// # Errors
    ///
    /// [`Error::GitTooOld`], and that it cannot be started.
    pub fn version(&self) -> Result<Version> {
        if let Some(version) = self.0.version.get() {
            return Ok(*version);
        }
        let mut told = Vec::new();
        let mut command = self.command();
        command.arg("--version").current_dir("/");
        process::run(command, None, VERSION_LIMIT, &Cancel::new(), &mut |stream, bytes| {
            if stream == Stream::Stdout {
                told.extend_from_slice(&bytes[..bytes.len().min(256)]);
            }
        })
        .map_err(|error| self.cannot_start(error))?;
        let told = String::from_utf8_lossy(&told);
        match Version::told(&told) {
            Some(version) if version >= Version::OLDEST => {
                Ok(*self.0.version.get_or_init(|| version))
            }
            found => Err(Error::GitTooOld {
                program: self.program().to_owned(),
                found: found
                    .map_or_else(|| "of no known version".into(), |found| found.to_string()),
            }),
        }
    }

    /// A command that only reads: no optional locks, no lazy fetching, no hooks, no file monitor;
    /// 5 s at most unless another limit is set.
    pub fn read<'a>(&'a self, folder: &'a Path) -> Call<'a> {
        Call::new(self, folder, Kind::Reads)
    }

    /// A command that writes; 30 s at most unless another limit is set.
    pub fn write<'a>(&'a self, folder: &'a Path) -> Call<'a> {
        Call::new(self, folder, Kind::Writes)
    }

    /// The program with no arguments yet, in the environment that all its commands share.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.0.program);
        command.env_clear();
        command.envs(self.0.environment.iter().map(|(name, value)| (name, value)));
        command.envs(ALWAYS);
        command
    }

    pub(super) fn cannot_start(&self, source: std::io::Error) -> Error {
        Error::Io { doing: "run", path: self.program().to_owned(), source }
    }
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}
