use std::ffi::OsString;

use serde::Serialize;

use super::{Ended, meant};
use crate::app::Cli;
use crate::exit::Exit;
use crate::operations::ProjectReply;
use crate::output::{Page, Show};

/// Show a project
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig project show
  rig --json project show ~/src/shop")]
pub(crate) struct Arguments {
    /// Its ID, name, storage key or folder; the project around the working folder without it
    #[arg(value_name = "PROJECT")]
    project: Option<OsString>,
}

/// A project of which people see the ID only.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Added(pub(super) ProjectReply);

impl Show for Added {
    fn show(&self, page: &mut Page) {
        page.line(self.0.id.to_string());
    }
}

impl Show for ProjectReply {
    fn show(&self, page: &mut Page) {
        let support = match &self.reason {
            Some(reason) => format!("{}: {reason}", self.worktree_support),
            None => self.worktree_support.clone(),
        };
        let mut details = vec![
            ("name", self.name.clone()),
            ("id", self.id.to_string()),
            ("path", self.path.as_path().display().to_string()),
            ("folder", word(&self.folder_state)),
            ("trunk", self.trunk.clone().unwrap_or_else(|| "none".to_owned())),
            ("workspaces", support),
            ("storage key", self.storage_key.clone()),
        ];
        if self.archived {
            details.push(("archived", "yes".to_owned()));
        }
        page.details(&details);
    }
}

/// The one word that a value is in JSON.
pub(in crate::commands) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        cli.output.show(&meant::asked(cli, self.project.as_deref())?)?;
        Ok(Exit::Done)
    }
}
