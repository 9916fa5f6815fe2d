use super::Ended;
use crate::app::Cli;
use crate::exit::Exit;
use crate::operations::{Event, Events, FollowEvents, ListEvents};
use crate::output::{Page, Show};

/// List what happened, oldest first
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig events
  rig --json events --after \"$CURSOR\"
  rig events --follow")]
pub(crate) struct Arguments {
    /// List what happened after the event with this cursor; the newest 100 without it
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// Go on with new events as they happen, one JSON object a line with `--json`
    #[arg(long)]
    follow: bool,
}

impl Show for Event {
    fn show(&self, page: &mut Page) {
        let about = self.about.join(" ");
        page.line(format!("{}  {}  {}  {about}", self.cursor, self.at, self.kind));
    }
}

impl Show for Events {
    fn show(&self, page: &mut Page) {
        for event in &self.events {
            event.show(page);
        }
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        if self.follow {
            return self.follow(cli);
        }
        let events = cli.node()?.call(ListEvents { after: self.after.clone() })?;
        cli.output.show(&events)?;
        Ok(Exit::Done)
    }

    /// Prints events as they come, until a signal, or until nobody reads them any more.
    fn follow(&self, cli: &Cli) -> Ended {
        let node = cli.patient_node()?;
        let interrupt = node.interrupt();
        let mut written = Ok(());
        let mut seen = self.after.clone();
        let followed = node.follow(FollowEvents { after: self.after.clone() }, &mut |event| {
            seen = Some(event.cursor.clone());
            written = cli.output.show(&event);
            if written.is_err() {
                interrupt.set();
            }
            FollowEvents { after: seen.clone() }
        });
        written?;
        followed?;
        Ok(Exit::Done)
    }
}
