use serde::Serialize;

use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::node::{self, Manner, Node, Role};
use crate::operations::{DaemonStatus, DaemonStatusReply, LoopReply};
use crate::output::{Page, Show};

/// Show who leads, since when, and what is pending; exit 0 if it is a daemon, else 3
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig daemon status
  rig --json daemon status")]
pub(crate) struct Arguments {}

/// Nobody leads.
#[derive(Serialize)]
struct Nobody {
    role: Option<String>,
}

impl Show for Nobody {
    fn show(&self, page: &mut Page) {
        page.line("nobody leads");
    }
}

impl Show for DaemonStatusReply {
    fn show(&self, page: &mut Page) {
        let [lowest, highest] = self.protocol;
        let pending = self.pending.iter().map(|(owner, count)| format!("{owner} {count}"));
        let or_none = |text: Vec<String>| match text.as_slice() {
            [] => "none".to_owned(),
            _ => text.join(", "),
        };
        page.details(&[
            ("role", self.role.clone()),
            ("pid", self.pid.to_string()),
            ("build", self.build.clone()),
            ("protocol", format!("{lowest} to {highest}")),
            ("since", self.since.clone()),
            ("socket", self.socket.display().to_string()),
            ("in line", or_none(self.heir.iter().map(ToString::to_string).collect())),
            ("connections", self.connections.to_string()),
            ("pending", or_none(pending.collect())),
            ("next due", self.next_due.clone().unwrap_or_else(|| "none".to_owned())),
            ("shutdown waits for", or_none(self.shutdown_pending.clone())),
            ("low space", if self.low_space { "yes" } else { "no" }.to_owned()),
        ]);
        page.table(["LOOP", "STATE", "FAILURES", "LAST ERROR"], {
            let row = |LoopReply { name, state, failures, last_error }: &LoopReply| {
                let error = last_error.clone().unwrap_or_default();
                [name.clone(), state.clone(), failures.to_string(), error]
            };
            self.loops.iter().map(row).collect()
        });
    }
}

impl Arguments {
    #[allow(clippy::unused_self)] // As all commands.
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let nobody = || {
            cli.output.show(&Nobody { role: None })?;
            Ok(Exit::NotFound)
        };
        let node = match Node::onlooker(cli.environment.clone(), Manner::LooksOn, cli.hooks()) {
            Ok(node) => node,
            Err(node::Error::NoLeader) => return nobody(),
            Err(error) => return Err(error.into()),
        };
        match node.call(DaemonStatus {}) {
            Ok(status) => {
                cli.output.show(&status)?;
                let daemon = status.role == Role::Daemon { idle_exit: None }.as_str();
                Ok(if daemon { Exit::Done } else { Exit::NotFound })
            }
            Err(failure) if failure.code == "no_leader" => nobody(),
            Err(failure) => Err(failure.into()),
        }
    }
}
