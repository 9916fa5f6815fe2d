use serde::Serialize;

use super::Ended;
use crate::app::{self, Cli};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Page, Show};

/// Print a manual page, for `man -l -`
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig man | man -l -
  rig man workspace create | man -l -")]
pub(crate) struct Arguments {
    /// The command that is meant, such as `workspace create`; `rig` itself without it
    command: Vec<String>,
}

#[derive(Serialize)]
struct Manual {
    page: String,
}

impl Show for Manual {
    fn show(&self, page: &mut Page) {
        page.raw(self.page.as_bytes());
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let mut command = app::command();
        command.build();
        for word in &self.command {
            let below = command.find_subcommand(word).cloned();
            command = below.ok_or_else(|| {
                CliError::new("bad_request", format!("there is no command {word:?}"))
            })?;
        }
        let name = command.get_display_name().unwrap_or("rig").to_owned();
        let mut page = Vec::new();
        let source = concat!("rig ", env!("CARGO_PKG_VERSION"));
        clap_mangen::Man::new(command.name(name)).source(source).render(&mut page)?;
        cli.output.show(&Manual { page: String::from_utf8_lossy(&page).into_owned() })?;
        Ok(Exit::Done)
    }
}
