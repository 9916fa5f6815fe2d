//! The `rig` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    rig_cli::main()
}
