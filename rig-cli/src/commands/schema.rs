use serde::Serialize;

use super::Ended;
use super::doors::command_of;
use crate::app::Cli;
use crate::exit::Exit;
use crate::operations::{Entry, catalogue};

/// Print the JSON Schemas of all operations
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig schema > rig-schema.json")]
pub(crate) struct Arguments {}

#[derive(Serialize)]
struct Schemas {
    operations: Vec<Described>,
}

#[derive(Serialize)]
struct Described {
    /// The command that asks for it, without `rig`.
    command: Option<&'static str>,
    #[serde(flatten)]
    entry: Entry,
}

impl Arguments {
    #[allow(clippy::unused_self)] // As all commands.
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let described = |entry: Entry| Described { command: command_of(entry.name), entry };
        let operations = catalogue().into_iter().map(described).collect();
        cli.output.document(&Schemas { operations })?;
        Ok(Exit::Done)
    }
}
