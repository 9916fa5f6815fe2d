use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::RetryScheduled;
use crate::output::Quiet;

/// Try to deliver an undelivered message again, now
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig schedule retry sch_01m8nsvd62f67tndkxwnbwbx30")]
pub(crate) struct Arguments {
    /// Its ID
    #[arg(value_name = "ID")]
    id: String,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let retried = cli.node()?.call(RetryScheduled { id: self.id.clone() })?;
        cli.output.show(&Quiet(retried))?;
        Ok(Exit::Done)
    }
}
