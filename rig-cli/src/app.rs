//! From arguments to an exit status.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory as _, FromArgMatches as _, Parser};
use rig_core::config::DaemonMode;

use crate::commands::Command;
use crate::environment::Environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::node::{Detach, Hooks, Node, Role};
use crate::output::Output;
use crate::protocol::Failure;
use crate::signals::Signals;
use crate::trace;

/// A place for each task: Git worktrees for coding agents and the people they work for
///
/// Each workspace is a worktree with a branch of its own, cut from a project. Run `rig workspace
/// create "What it is for"` in any Git clone.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  cd \"$(rig workspace create 'Retry policy rewrite')\"
  rig workspace list
  rig workspace archive \"Retry policy rewrite\"")]
#[command(name = "rig", version, disable_help_subcommand = false, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Print one JSON document, errors too
    #[arg(long, global = true, help_heading = "Global options")]
    json: bool,
    /// The project that is meant, by its ID, name or folder
    #[arg(long, global = true, value_name = "PATH|ID", help_heading = "Global options")]
    project: Option<OsString>,
    /// Print nothing but data and errors
    #[arg(short, long, global = true, help_heading = "Global options")]
    quiet: bool,
    /// Log what is done to standard error; twice for everything. `RIG_LOG` says it more exactly
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    verbose: u8,
    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Global options"
    )]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

/// After how long without connections and pending work a daemon ends that a command left behind.
const SELF_ENDING: &str = "10s";

/// What every command is given.
pub(crate) struct Cli {
    /// Where it prints.
    pub(crate) output: Output,
    /// What `--project` says.
    pub(crate) project: Option<OsString>,
    /// What the environment says.
    pub(crate) environment: Environment,
    folder: Option<PathBuf>,
    node: OnceCell<Node>,
    signals: Arc<OnceLock<Signals>>,
}

/// Runs the `rig` command with the arguments and the environment of this process.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let exit = match Arguments::command().try_get_matches_from(&arguments) {
        Ok(matches) => match Arguments::from_arg_matches(&matches) {
            Ok(parsed) => run(parsed),
            Err(error) => not_understood(&error, &arguments),
        },
        Err(error) => not_understood(&error, &arguments),
    };
    exit.into()
}

/// The command line as clap knows it.
pub(crate) fn command() -> clap::Command {
    Arguments::command()
}

fn run(arguments: Arguments) -> Exit {
    let environment = Environment::of_process();
    let output = Output {
        json: arguments.json,
        quiet: arguments.quiet,
        color: arguments.color,
        no_color: environment.no_color(),
    };
    let set_up = trace::set_up(&environment, arguments.verbose, arguments.command.is_detached());
    #[cfg(feature = "failpoints")]
    let set_up = set_up.and_then(|()| crate::failpoints::arm(&environment));
    let cli = Cli {
        output,
        project: arguments.project,
        environment,
        folder: std::env::current_dir().ok(),
        node: OnceCell::new(),
        signals: Arc::default(),
    };
    let ended = match set_up {
        // Half an identity is no identity, whatever is asked.
        Ok(()) => match cli.environment.credentials() {
            Err(error) if arguments.command.has_caller() => Err(error.into()),
            _ => arguments.command.run(&cli),
        },
        Err(error) => Err(error.into()),
    };
    let exit = match ended {
        Ok(exit) => exit,
        Err(error) => cli.tell(error).unwrap_or(Exit::Done),
    };
    cli.leave_work();
    cli.leave();
    exit
}

/// Help and version are answers; everything else is a wrong request.
fn not_understood(error: &clap::Error, arguments: &[OsString]) -> Exit {
    let json = arguments.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match error.print() {
            Ok(()) => Exit::Done,
            Err(failed) if failed.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Err(_) => Exit::Failed,
        },
        _ if json => {
            let text = error.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let (message, _) = text.split_once("\n\nUsage:").unwrap_or((text, ""));
            let message = match error.kind() {
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                | ErrorKind::MissingSubcommand => "a command is missing",
                _ => message,
            };
            let output = Output { json, ..Output::default() };
            let told = CliError::new("bad_request", message.trim());
            match told {
                CliError::Told(told) => output.error(&told).map_or(Exit::Done, |()| Exit::Usage),
                CliError::BrokenPipe => Exit::Done,
            }
        }
        _ => {
            // Nothing sensible can be done if standard error is closed.
            let _ = error.print();
            Exit::Usage
        }
    }
}

impl Cli {
    /// The way to whoever carries operations out.
    pub(crate) fn node(&self) -> Result<&Node, CliError> {
        self.node_as(Role::Command)
    }

    /// The way to whoever carries operations out, for a process in this role.
    pub(crate) fn node_as(&self, role: Role) -> Result<&Node, CliError> {
        if let Some(node) = self.node.get() {
            return Ok(node);
        }
        let node = Node::new(self.environment.clone(), role, self.hooks())?;
        Ok(self.node.get_or_init(|| node))
    }

    /// A second node, for another caller than this process was started as.
    pub(crate) fn node_of(&self, environment: Environment) -> Result<Node, CliError> {
        Ok(Node::new(environment, Role::Command, self.hooks())?)
    }

    /// What the node tells this command.
    pub(crate) fn hooks(&self) -> Hooks {
        let output = self.output;
        let waiting = move |pid: Option<u32>| {
            let whom = pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
            output.note(&format!("waiting for the rig that leads{whom} …"));
        };
        let signals = Arc::clone(&self.signals);
        let leading = move |interrupt| {
            // Others rely on us now: we leave in an orderly way.
            signals.get_or_init(|| Signals::watch(interrupt));
        };
        Hooks { waiting: Some(Box::new(waiting)), leading: Some(Box::new(leading)) }
    }

    /// The node, whose waiting Ctrl-C and TERM break off from now on.
    pub(crate) fn patient_node(&self) -> Result<&Node, CliError> {
        let node = self.node()?;
        self.watch_signals(node);
        Ok(node)
    }

    /// Has Ctrl-C and TERM break off whatever the node waits for.
    pub(crate) fn watch_signals(&self, node: &Node) {
        self.signals.get_or_init(|| Signals::watch(node.interrupt()));
    }

    /// Has a daemon take up the work that is left behind, if the configuration says so.
    fn leave_work(&self) {
        let Some(node) = self.node.get() else { return };
        if self.signal().is_some() && !node.leads() {
            // It ends, and whoever leads sees to what is left.
            return;
        }
        // A signal that ended what the command waited for is dealt with. A second one ends it.
        node.interrupt().clear();
        match node.leaves_work_behind() {
            Ok(false) => return,
            Ok(true) if !matches!(node.daemon_mode(), Ok(DaemonMode::Auto)) => return,
            Ok(true) => {}
            // What it said itself says enough.
            Err(failure) => return tracing::debug!(%failure, "cannot tell what is left behind"),
        }
        let detach = Detach {
            environment: &self.environment,
            state: node.state(),
            idle_exit: Some(SELF_ENDING),
        };
        if let Err(error) = detach.start() {
            let Failure { message, causes, .. } = error.into();
            let why = [vec![message], causes].concat().join(": ");
            self.output.warn(&format!(
                "no daemon could be started, so what is left goes on with the next `rig`: {why}"
            ));
        }
    }

    /// Hands over to whoever leads next, if this process leads.
    fn leave(&self) {
        let Some(node) = self.node.get() else { return };
        match node.finish(self.signal().is_some()) {
            Ok(late) => self.tell_late(&late),
            // What was acknowledged is saved even so.
            Err(failure) => tracing::warn!(%failure, "the store was not closed well"),
        }
    }

    /// Tells what was not waited for to its end.
    pub(crate) fn tell_late(&self, late: &[String]) {
        if !late.is_empty() {
            self.output.warn(&format!("not waited for to its end: {}", late.join(", ")));
        }
    }

    /// The signal that came.
    pub(crate) fn signal(&self) -> Option<u8> {
        self.signals.get().and_then(Signals::seen)
    }

    /// The working folder, as it really is.
    pub(crate) fn folder(&self) -> Result<PathBuf, CliError> {
        self.folder.clone().ok_or_else(|| {
            CliError::new("path_missing", "the working folder cannot be told: it may be gone")
                .hint("change to a folder that is there")
        })
    }

    /// Tells an error, and answers how the command ends; none if nobody listens.
    fn tell(&self, error: CliError) -> Option<Exit> {
        let CliError::Told(told) = error else { return None };
        let exit = match self.signal() {
            Some(number) if told.code == "cancelled" => Exit::Signal(number),
            _ => told.exit,
        };
        self.output.error(&told).ok()?;
        Some(exit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a line of a shell, without what `$(…)`, `|` and `>` stand for.
    fn words(line: &str) -> Vec<String> {
        let line = line.trim().trim_start_matches("eval \"$(").trim_start_matches("cd \"$(");
        let line = line.trim_end_matches(")\"");
        let line = line.trim_start_matches("source <(").split([')', '|', '>']).next();
        let (mut words, mut quote) = (vec![String::new()], None);
        for letter in line.unwrap_or_default().trim().chars() {
            match (letter, quote, words.last_mut()) {
                ('"' | '\'', None, _) => quote = Some(letter),
                (letter, Some(open), _) if letter == open => quote = None,
                (' ', None, _) => words.push(String::new()),
                (letter, _, Some(word)) => word.push(letter),
                (_, _, None) => {}
            }
        }
        words
    }

    fn check(command: &clap::Command, path: &str) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples = help.strip_prefix("Examples:\n").unwrap_or_default();
        assert!(examples.lines().any(|line| line.contains(path)), "`{path}` has no example");
        for line in examples.lines() {
            let parsed = Arguments::command().try_get_matches_from(words(line));
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
        }
        for below in command.get_subcommands() {
            if below.get_name() != "help" && !below.is_hide_set() {
                check(below, below.get_name());
            }
        }
    }

    #[test]
    fn every_help_ends_in_examples_that_are_understood() {
        check(&command(), "rig");
    }
}
