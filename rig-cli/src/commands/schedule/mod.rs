//! `rig schedule`.

mod cancel;
mod list;
mod retry;
mod send;
mod show;

use clap::Subcommand;
use rig_core::config::DaemonMode;
use rig_sched::messages::Status;

use super::Ended;
use crate::app::Cli;
use crate::error::CliError;
use crate::operations::Scheduled;

#[derive(Subcommand)]
pub(crate) enum Command {
    Send(send::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Cancel(cancel::Arguments),
    Retry(retry::Arguments),
}

impl Command {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        match self {
            Self::Send(arguments) => arguments.run(cli),
            Self::List(arguments) => arguments.run(cli),
            Self::Show(arguments) => arguments.run(cli),
            Self::Cancel(arguments) => arguments.run(cli),
            Self::Retry(arguments) => arguments.run(cli),
        }
    }
}

/// Says when a message goes out, if no process is left to send it.
fn tell_when(cli: &Cli, scheduled: &Scheduled) -> Result<(), CliError> {
    if scheduled.status == Status::Pending
        && !cli.node()?.is_resident()
        && cli.node()?.daemon_mode()? == DaemonMode::Never
    {
        let due_at = scheduled.due_at;
        cli.output.note(&format!(
            "nothing is left running: it goes out with the first `rig` after {due_at}"
        ));
    }
    Ok(())
}
