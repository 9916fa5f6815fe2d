use clap_complete::Shell;
use serde::Serialize;

use super::Ended;
use crate::app::{self, Cli};
use crate::exit::Exit;
use crate::output::{Page, Show};

/// Print a script that completes commands and options in a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  source <(rig completions bash)
  rig completions fish > ~/.config/fish/completions/rig.fish")]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

#[derive(Serialize)]
struct Script {
    script: String,
}

impl Show for Script {
    fn show(&self, page: &mut Page) {
        page.raw(self.script.as_bytes());
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut app::command(), "rig", &mut script);
        cli.output.show(&Script { script: String::from_utf8_lossy(&script).into_owned() })?;
        Ok(Exit::Done)
    }
}
