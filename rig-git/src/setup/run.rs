use std::path::Path;
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::config::{Config, SetupCommand};
use rig_core::time::Timestamp;
use rig_core::workspace::{Outcome, Step, StepName, Workspace};

use super::command;
use super::log::Log;
use super::output::Output;
use crate::error::{Error, Result};
use crate::machine::Machine;
use crate::process::Ended;
use crate::progress::Progress;

/// Runs the setup commands of `config` in order, until one fails. `ended` is told of each that ended,
/// the failing one included, before the next begins; `now` tells the time. What they print goes to the
/// workspace's log as it comes.
///
/// # Errors
///
/// `Step` with `setup_failed` or `setup_timed_out`, which name the command by its number from 1;
/// `Io` if the log cannot be opened; `Cancelled`, once the command that ran is gone; what `ended`
/// fails with.
#[allow(clippy::too_many_arguments)] // What it works on, what it tells and what ends it.
pub fn run(
    machine: &Machine,
    workspace: &Workspace,
    project_path: &Path,
    config: &Config,
    now: &dyn Fn() -> Timestamp,
    progress: &mut dyn FnMut(Progress<'_>),
    ended: &mut dyn FnMut(Step) -> Result<()>,
    cancel: &Cancel,
) -> Result<()> {
    let commands = &config.workspace.setup_commands;
    if commands.is_empty() {
        return Ok(());
    }
    let log = Log::open(&machine.state, workspace.id)?;
    let limit = config.workspace.setup_timeout;
    let mut attempt =
        Attempt { machine, workspace, project_path, now, progress, cancel, log, limit };
    let number = workspace.attempt;
    attempt.line(&format!("attempt {number} begins"));
    let done = (1..).zip(commands).try_for_each(|(index, command)| {
        let (step, failed) = attempt.command(index, command)?;
        ended(step)?;
        failed.map_or(Ok(()), Err)
    });
    let outcome = done.as_ref().map_or_else(Error::code, |()| "done");
    attempt.line(&format!("attempt {number} ended: {outcome}"));
    done
}

struct Attempt<'a> {
    machine: &'a Machine,
    workspace: &'a Workspace,
    project_path: &'a Path,
    now: &'a dyn Fn() -> Timestamp,
    progress: &'a mut dyn FnMut(Progress<'_>),
    cancel: &'a Cancel,
    log: Log,
    limit: Duration,
}

impl Attempt<'_> {
    /// Runs one command to its end: how it went, and the error if it went badly.
    fn command(&mut self, index: u32, command: &SetupCommand) -> Result<(Step, Option<Error>)> {
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        (self.progress)(Progress::Step(StepName::Setup, Some(index)));
        let started_at = (self.now)();
        self.log.line(started_at, &format!("command {index} begins: {}", command.run.trim()));
        let limit = command.timeout.unwrap_or(self.limit);
        let mut output = Output::default();
        let ended = command::run(
            self.machine,
            self.workspace,
            self.project_path,
            &command.run,
            limit,
            self.cancel,
            &mut |bytes| {
                self.log.output(bytes);
                if let Some(line) = output.add(bytes) {
                    (self.progress)(Progress::Output(&line));
                }
            },
        );
        let (how, code) = match ended {
            Ok(Ended::Exited(status)) if status.success() => (command::ended(status), None),
            Ok(Ended::Exited(status)) => {
                let how = command::ended(status);
                (format!("ended with {how}"), Some("setup_failed"))
            }
            Ok(Ended::TimedOut) => {
                let limit = humantime::format_duration(limit);
                (format!("took longer than {limit}"), Some("setup_timed_out"))
            }
            Ok(Ended::Cancelled) => {
                self.line(&format!("command {index} was stopped"));
                return Err(Error::Cancelled);
            }
            Err(error) => (format!("could not be run: {error}"), Some("setup_failed")),
        };
        let ended_at = (self.now)();
        let duration = ended_at.since(started_at);
        self.log
            .line(ended_at, &format!("command {index} after {} ms: {how}", duration.as_millis()));
        let shown = command::shown(&command.run);
        let (outcome, detail) = match (code, self.log.failure()) {
            (Some(_), _) => {
                let end = output.end();
                let end = if end.is_empty() { "it printed nothing" } else { &end };
                (Outcome::Failed, format!("setup command {index} {how}: `{shown}`: {end}"))
            }
            (None, Some(why)) => {
                (Outcome::Warned, format!("{shown}: the log is not complete: {why}"))
            }
            (None, None) => (Outcome::Done, shown),
        };
        let step = Step {
            step: StepName::Setup,
            index: Some(index),
            started_at,
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            outcome,
            detail: Some(detail.clone()),
        };
        Ok((step, code.map(|code| Error::Step { code, message: detail })))
    }

    fn line(&mut self, text: &str) {
        self.log.line((self.now)(), text);
    }
}
