use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rig_core::id::AgentId;
use rig_core::token::Token;

use super::identity::Identity;
use crate::app::Cli;
use crate::commands::Ended;
use crate::error::CliError;
use crate::exit::Exit;
use crate::operations::AgentNew;

/// Register an agent, and print what makes a process act as it
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  eval \"$(rig agent new --title 'Retry policy')\"
  rig --json agent new --title Reviewer --cwd .")]
pub(crate) struct Arguments {
    /// Its title, of 1 to 100 characters
    #[arg(long)]
    title: Option<String>,
    /// The agent above it; without it the person makes a primary agent, and an agent one below itself
    #[arg(long, value_name = "AGENT")]
    parent: Option<String>,
    /// The folder it works in; without it one of its own
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let token = Token::generate();
        let cwd = self.cwd.as_ref().map(|cwd| folder(cli, cwd)).transpose()?;
        let request = AgentNew {
            agent_id: AgentId::generate().to_string(),
            token_digest: token.digest(),
            title: self.title.clone(),
            parent: self.parent.clone(),
            cwd: cwd.map(Into::into),
            disk: cli.environment.disk(),
            workspace_id: None,
        };
        let agent = cli.node()?.call(request)?;
        cli.output.show(&Identity::new(agent, &token))?;
        Ok(Exit::Done)
    }
}

/// A folder as it really is.
fn folder(cli: &Cli, given: &Path) -> Result<PathBuf, CliError> {
    let path = if given.is_absolute() { given.to_owned() } else { cli.folder()?.join(given) };
    let real = path.canonicalize().map_err(|error| {
        let code = match error.kind() {
            ErrorKind::NotFound => "path_missing",
            _ => "path_inaccessible",
        };
        CliError::new(code, format!("cannot look at {}", path.display()))
            .told(|told| told.causes.push(error.to_string()))
    })?;
    if !real.is_dir() {
        return Err(CliError::new(
            "not_a_directory",
            format!("{} is not a folder", path.display()),
        ));
    }
    Ok(real)
}
