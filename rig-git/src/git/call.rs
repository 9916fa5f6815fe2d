use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rig_core::cancel::Cancel;

use super::environment::READING;
use super::failure::{last_lines, operation};
use super::program::Git;
use super::tail::Tail;
use crate::error::{Error, Result};
use crate::process::{self, Ended, Stream};

/// What takes pieces of output as they come.
type Sink<'a> = &'a mut dyn FnMut(&[u8]);

/// One git command.
#[must_use = "nothing runs until `run` or `succeed`"]
pub struct Call<'a> {
    git: &'a Git,
    folder: &'a Path,
    kind: Kind,
    args: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    limit: Duration,
    turn: Option<&'a File>,
    log: Option<&'a File>,
    records: Option<Sink<'a>>,
    progress: Option<Sink<'a>>,
}

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Reads,
    Writes,
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

impl<'a> Call<'a> {
    pub(super) fn new(git: &'a Git, folder: &'a Path, kind: Kind) -> Self {
        let limit = match kind {
            Kind::Reads => Duration::from_secs(5),
            Kind::Writes => Duration::from_secs(30),
        };
        Self {
            git,
            folder,
            kind,
            args: Vec::new(),
            environment: Vec::new(),
            limit,
            turn: None,
            log: None,
            records: None,
            progress: None,
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable, such as `GIT_INDEX_FILE`.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Sets the time after which the command is ended.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Hands an open file down as the command's standard input, from where it stands. An (empty)
    /// lock file is held until the command ends, even if this process dies first.
    pub fn holding(mut self, turn: &'a File) -> Self {
        self.turn = Some(turn);
        self
    }

    /// Lets standard error go to a file that is open for appending, and is emptied first; standard
    /// output is dropped. If this process dies the command goes on to its end, where it would die
    /// of a pipe that nobody reads.
    pub fn logged(mut self, log: &'a File) -> Self {
        self.log = Some(log);
        self
    }

    /// Hands standard output on in pieces as they come, instead of keeping its last 1 MiB.
    pub fn output_to(mut self, output: &'a mut dyn FnMut(&[u8])) -> Self {
        self.records = Some(output);
        self
    }

    /// Shows standard error as it comes.
    pub fn progress(mut self, progress: &'a mut dyn FnMut(&[u8])) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Runs the command to its end, whatever its exit status.
    ///
    /// # Errors
    ///
    /// [`Error::GitTimedOut`] and [`Error::Cancelled`], and the whole process group is ended then;
    /// [`Error::GitTooOld`]; [`Error::Io`] if it could not be started.
    pub fn run(mut self, cancel: &Cancel) -> Result<Answer> {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        self.git.version()?;
        let turn = self.turn.map(File::try_clone).transpose();
        let turn = turn.map_err(|error| self.git.cannot_start(error))?;
        let command = self.command();
        let (mut stdout, mut stderr) = (Tail::default(), Tail::default());
        let mut sort = |stream, bytes: &[u8]| match (stream, &mut self.records, &mut self.progress)
        {
            (Stream::Stdout, Some(records), _) => records(bytes),
            (Stream::Stdout, None, _) => stdout.push(bytes),
            (Stream::Stderr, _, progress) => {
                stderr.push(bytes);
                if let Some(progress) = progress {
                    progress(bytes);
                }
            }
        };
        let ended = match self.log {
            Some(log) => process::run_with_log(command, turn, log, self.limit, cancel, &mut sort),
            None => process::run(command, turn, self.limit, cancel, &mut sort),
        };
        let stderr = stderr.into_bytes();
        match ended.map_err(|error| self.cannot_start(error))? {
            Ended::Exited(status) => {
                Ok(Answer { status: status.code(), stdout: stdout.into_bytes(), stderr })
            }
            Ended::Cancelled => Err(Error::Cancelled),
            Ended::TimedOut => Err(Error::GitTimedOut {
                operation: operation(&self.args),
                limit: self.limit,
                last_lines: last_lines(&stderr),
            }),
        }
    }

    /// As [`Call::run`], and a bad exit status is [`Error::GitFailed`].
    ///
    /// # Errors
    ///
    /// As [`Call::run`], and [`Error::GitFailed`].
    pub fn succeed(self, cancel: &Cancel) -> Result<Answer> {
        let operation = operation(&self.args);
        let answer = self.run(cancel)?;
        if answer.status == Some(0) { Ok(answer) } else { Err(answer.failure(operation)) }
    }

    fn command(&self) -> Command {
        let mut command = self.git.command();
        command.current_dir(self.folder);
        if self.kind == Kind::Reads {
            command.envs(READING);
            command.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.args(&self.args);
        command
    }

    /// A missing folder and a missing program are one error to the system.
    fn cannot_start(&self, source: std::io::Error) -> Error {
        if self.folder.is_dir() {
            self.git.cannot_start(source)
        } else {
            Error::Io { doing: "run git in", path: self.folder.to_owned(), source }
        }
    }
}
