use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rig_core::cancel::Cancel;

use crate::error::Result;

/// The oldest git that is known to do what is asked of it.
pub const OLDEST_GIT: &str = "2.30";

/// The git program and the environment it runs in.
#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

/// How a git command ended.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its exit status; none if a signal ended it.
    pub status: Option<i32>,
    /// The last 1 MiB of its standard output.
    pub stdout: Vec<u8>,
    /// The last 1 MiB of its standard error.
    pub stderr: Vec<u8>,
}

/// One git command.
pub struct Call<'a> {
    pub(crate) git: &'a Git,
    pub(crate) folder: &'a Path,
    pub(crate) args: Vec<OsString>,
    pub(crate) writes: bool,
    pub(crate) limit: Duration,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) turn: Option<&'a File>,
    pub(crate) progress: Option<&'a mut dyn FnMut(&[u8])>,
}

impl Git {
    /// The git program that `PATH` of `environment` finds.
    ///
    /// # Errors
    ///
    /// [`crate::Error::GitNotFound`], [`crate::Error::GitTooOld`].
    pub fn find(environment: Vec<(OsString, OsString)>) -> Result<Self> {
        let _ = environment;
        todo!()
    }

    /// A command that only reads: no optional locks, no lazy fetching, no hooks, no file monitor;
    /// 5 s at most unless another limit is set.
    pub fn read<'a>(&'a self, folder: &'a Path) -> Call<'a> {
        let _ = folder;
        todo!()
    }

    /// A command that writes; 30 s at most unless another limit is set.
    pub fn write<'a>(&'a self, folder: &'a Path) -> Call<'a> {
        let _ = folder;
        todo!()
    }
}

impl<'a> Call<'a> {
    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable, such as `GIT_INDEX_FILE`.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Sets the time after which the command is ended.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Hands the open lock file down as the command's (empty) standard input, so that the lock is
    /// held until the command ends, even if this process dies first.
    #[must_use]
    pub fn holding(mut self, turn: &'a File) -> Self {
        self.turn = Some(turn);
        self
    }

    /// Shows standard error as it comes.
    #[must_use]
    pub fn progress(mut self, progress: &'a mut dyn FnMut(&[u8])) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Runs the command to its end, whatever its exit status.
    ///
    /// # Errors
    ///
    /// [`crate::Error::GitTimedOut`], [`crate::Error::Cancelled`], or that it could not be started. The whole
    /// process group is ended then.
    pub fn run(self, cancel: &Cancel) -> Result<Answer> {
        let _ = cancel;
        todo!()
    }

    /// As [`Call::run`], and a bad exit status is [`crate::Error::GitFailed`].
    ///
    /// # Errors
    ///
    /// As [`Call::run`], and [`crate::Error::GitFailed`].
    pub fn succeed(self, cancel: &Cancel) -> Result<Answer> {
        let _ = cancel;
        todo!()
    }
}
