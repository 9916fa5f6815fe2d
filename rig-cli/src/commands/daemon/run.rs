use std::io::{self, Write as _};

use rig_core::failpoint;

use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::node::{self, Ready, Role, Standing};

/// Lead until stopped, so that everything that is due happens in time
///
/// While a command leads it stands in line, and leads once that is done.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig daemon run
  rig daemon run --idle-exit 10m")]
pub(crate) struct Arguments {
    /// End after this long without connections and pending work
    #[arg(long, value_name = "DUR")]
    idle_exit: Option<String>,
    /// Say on standard output when it is of use, for the process that started it
    #[arg(long, hide = true)]
    detached: bool,
}

impl Arguments {
    pub(super) fn is_detached(&self) -> bool {
        self.detached
    }

    pub(super) fn run(&self, cli: &Cli) -> Ended {
        if self.detached {
            failpoint!("daemon.detached");
        }
        let idle_exit = node::idle_exit(&cli.environment, self.idle_exit.as_deref())?;
        let node = cli.node_as(Role::Daemon { idle_exit })?;
        cli.watch_signals(node);
        let mut told = !self.detached;
        let served = node.serve(&mut |standing| {
            if !std::mem::replace(&mut told, true) {
                tell(match standing {
                    Standing::Leads => Ready::Leads,
                    Standing::InLine => Ready::InLine,
                });
            }
        });
        match served {
            Ok(late) => cli.tell_late(&late),
            // It was asked to end while it began.
            Err(failure) if failure.code == "cancelled" => {}
            Err(failure) => {
                if failure.code == "already_running" && !told {
                    // Whoever started us has what they wanted.
                    tell(Ready::AlreadyRunning);
                    return Ok(Exit::Conflict);
                }
                return Err(failure.into());
            }
        }
        Ok(cli.signal().map_or(Exit::Done, Exit::Signal))
    }
}

/// Tells whoever started us that we are of use, and has nothing more to say to them.
fn tell(ready: Ready) {
    failpoint!("daemon.before_ready");
    let said = serde_json::to_string(&ready).unwrap_or_default();
    // If they have gone they need not know.
    let _ = writeln!(io::stdout(), "{said}").and_then(|()| io::stdout().flush());
    let null = std::fs::File::options().write(true).open("/dev/null");
    if let Err(error) = null.and_then(|null| Ok(rustix::stdio::dup2_stdout(null)?)) {
        tracing::warn!(%error, "cannot let go of standard output");
    }
}
