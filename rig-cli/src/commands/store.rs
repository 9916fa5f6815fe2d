use clap::Subcommand;

use super::Ended;
use crate::app::Cli;
use crate::exit::Exit;
use crate::operations::{
    CheckStore, CheckedStore, CompactStore, CompactedStore, DumpStore, StoreFinding,
};
use crate::output::{Page, Show};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print every row, one JSON object a line
    #[command(after_help = "\
Examples:
  rig store dump > before.jsonl")]
    Dump,
    /// Verify the file's pages, and that its tables agree with each other
    #[command(after_help = "\
Examples:
  rig store check")]
    Check,
    /// Make the file as small as it can be
    #[command(after_help = "\
Examples:
  rig store compact")]
    Compact,
}

impl Show for CheckedStore {
    fn show(&self, page: &mut Page) {
        for StoreFinding { table, key, what } in &self.findings {
            let place = table.iter().chain(key).cloned().collect::<Vec<_>>().join(" ");
            page.line(if place.is_empty() { what.clone() } else { format!("{place}: {what}") });
        }
    }
}

impl Show for CompactedStore {
    fn show(&self, page: &mut Page) {
        page.line(format!("{} bytes before, {} bytes now", self.before, self.after));
    }
}

impl Command {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let node = cli.node()?;
        match self {
            Self::Dump => {
                let mut written = Ok(());
                node.stream(DumpStore {}, &mut |row| {
                    if written.is_ok() {
                        written = cli.output.document(&row);
                    }
                })?;
                written.map(|()| Exit::Done)
            }
            Self::Check => {
                let checked = node.call(CheckStore {})?;
                cli.output.show(&checked)?;
                Ok(if checked.findings.is_empty() { Exit::Done } else { Exit::Failed })
            }
            Self::Compact => {
                cli.output.show(&node.call(CompactStore {})?)?;
                Ok(Exit::Done)
            }
        }
    }
}
