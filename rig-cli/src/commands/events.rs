use super::Ended;
use crate::app::Cli;
use crate::exit::Exit;
use crate::operations::{Events, ListEvents};
use crate::output::{Page, Show};

/// List what happened, oldest first
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig events
  rig --json events --after \"$CURSOR\"")]
pub(crate) struct Arguments {
    /// List what happened after the event with this cursor; the newest 100 without it
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

impl Show for Events {
    fn show(&self, page: &mut Page) {
        for event in &self.events {
            let about = event.about.join(" ");
            page.line(format!("{}  {}  {}  {about}", event.cursor, event.at, event.kind));
        }
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let events = cli.node()?.call(ListEvents { after: self.after.clone() })?;
        cli.output.show(&events)?;
        Ok(Exit::Done)
    }
}
