//! A program that opens the node itself: it makes a worktree for each task it reads, and the `rig`
//! command works on the same state meanwhile.
//!
//! ```text
//! own_node REPOSITORY
//! ```
//!
//! It reads a task a line from standard input, tells the steps of making a worktree for it, and then
//! its path. While it runs, `rig workspace list` in the repository shows the same worktrees, and what
//! any `rig` asks for is carried out by this program, unless another one was there before. When the
//! input ends it leaves, and whoever comes next leads. Its worktrees stay.
//!
//! A program with `rig_cli` in it can be the command as well: under the name `rig` this one is.

use std::env;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rig_cli::Node;
use rig_cli::environment::Environment;
use rig_cli::operations::{AddProject, AwaitWorkspace, CreateWorkspace, WorkProgress};
use rig_core::clock::{Clock as _, SystemClock};
use rig_core::id::{ProjectId, WorkspaceId};

fn main() -> ExitCode {
    let mut args = env::args_os();
    let program = args.next().unwrap_or_default();
    if Path::new(&program).file_name() == Some(OsStr::new("rig")) {
        return rig_cli::main();
    }
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("own_node: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: impl Iterator<Item = OsString>) -> Result<(), Box<dyn Error>> {
    let repository = args.next().ok_or("usage: own_node REPOSITORY")?;
    let repository = PathBuf::from(repository).canonicalize()?;
    let node = Node::open(Environment::of_process())?;
    let project = node.call(AddProject { path: repository.into(), id: None })?;
    for task in io::stdin().lock().lines() {
        match worktree(&node, project.id, &task?) {
            Ok(path) => println!("{}", path.display()),
            // The next task may be another matter.
            Err(error) => eprintln!("own_node: {error}"),
        }
    }
    Ok(node.close()?)
}

/// Makes a worktree for a task, telling the steps, and answers with its path.
fn worktree(node: &Node, project: ProjectId, task: &str) -> Result<PathBuf, Box<dyn Error>> {
    // Made here, so that the request may be repeated: it makes one worktree, however often.
    let id = WorkspaceId::generate(SystemClock::default().now());
    let name = Some(task.to_owned());
    node.call(CreateWorkspace { project_id: project, name, base_ref: None, id: Some(id) })?;
    let ready = node.stream(AwaitWorkspace { workspace_id: id }, &mut |progress| {
        if let WorkProgress::Step { step, .. } = progress {
            eprintln!("{task}: {step:?}");
        }
    })?;
    match ready.error {
        Some(error) => Err(error.message.into()),
        None => Ok(ready.path.as_path().to_owned()),
    }
}
