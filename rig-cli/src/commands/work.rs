use super::Ended;
use crate::app::Cli;
use crate::exit::Exit;

pub(super) fn run(cli: &Cli) -> Ended {
    cli.patient_node()?.work_until_done()?;
    Ok(Exit::Done)
}
