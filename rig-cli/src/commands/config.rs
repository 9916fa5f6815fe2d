use clap::Subcommand;

use super::Ended;
use crate::app::Cli;
use crate::exit::Exit;
use crate::node;
use crate::operations::{CheckConfig, CheckedConfig, ShowConfig, ShownConfig};
use crate::output::{Page, Show};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show every key with its value, and where the value comes from
    #[command(after_help = "\
Examples:
  rig config show
  rig --json --project ~/src/shop config show")]
    Show,
    /// Check the files and variables, and list all that is wrong
    #[command(after_help = "\
Examples:
  rig config check")]
    Check,
}

impl Show for ShownConfig {
    fn show(&self, page: &mut Page) {
        let row = |(key, valued): (&String, &crate::operations::ConfigValue)| {
            [key.clone(), valued.value.to_string(), valued.from.clone()]
        };
        page.table(["KEY", "VALUE", "FROM"], self.values.iter().map(row).collect());
    }
}

impl Show for CheckedConfig {
    fn show(&self, page: &mut Page) {
        for fault in &self.faults {
            page.line(format!("{}: {}", fault.code, fault.message));
        }
    }
}

impl Command {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let root = super::project::root(cli)?.into();
        match self {
            Self::Show => {
                cli.output.show(&node::shown(&cli.environment, &ShowConfig { root })?)?;
                Ok(Exit::Done)
            }
            Self::Check => {
                let checked = node::checked(&cli.environment, &CheckConfig { root })?;
                cli.output.show(&checked)?;
                Ok(match checked.faults.first() {
                    Some(fault) => Exit::of_code(&fault.code),
                    None => Exit::Done,
                })
            }
        }
    }
}
