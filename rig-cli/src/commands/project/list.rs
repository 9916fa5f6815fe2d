use super::Ended;
use crate::app::Cli;
use crate::exit::Exit;
use crate::operations::{ListProjects, Projects};
use crate::output::{Page, Show};

/// List the projects
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig project list
  rig --json project list --all")]
pub(crate) struct Arguments {
    /// List archived ones too
    #[arg(long)]
    all: bool,
}

impl Show for Projects {
    fn show(&self, page: &mut Page) {
        let row = |project: &crate::operations::ProjectReply| {
            let here = if project.current == Some(true) { "*" } else { "" };
            let workspaces = if project.archived { "archived" } else { &project.worktree_support };
            [
                here.to_owned(),
                project.name.clone(),
                project.id.to_string(),
                workspaces.to_owned(),
                project.path.as_path().display().to_string(),
            ]
        };
        let rows = self.projects.iter().map(row).collect();
        page.table(["", "NAME", "ID", "WORKSPACES", "PATH"], rows);
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        // Without a working folder no project is the current one.
        let folder = cli.folder().ok().map(Into::into);
        let projects = cli.node()?.call(ListProjects { all: self.all, folder })?;
        cli.output.show(&projects)?;
        Ok(Exit::Done)
    }
}
