use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use crate::world::{RIG, Said, TestResult, World};

#[test]
fn started_inside_a_git_hook_it_works_in_the_workspace_and_nowhere_else() -> TestResult {
    let world = World::new()?;
    world.configure(
        "workspace.setup_commands = ['env > seen', 'git rev-parse --show-toplevel > top']\n",
    )?;
    world.commit("setup")?;
    let hook = world.repository.join(".git/hooks/pre-commit");
    std::fs::write(&hook, format!("#!/bin/sh\nexec {RIG} workspace create Hooked\n"))?;
    std::fs::set_permissions(&hook, Permissions::from_mode(0o755))?;

    let mut command = world.clean("git", &world.repository);
    command.args(["-c", "user.name=T", "-c", "user.email=t@example.org"]);
    command.args(["commit", "-q", "--allow-empty", "-m", "hooked"]);
    Said::from(command.env("GIT_INDEX_FILE", ".git/index").output()?).success()?;

    let path = world.workspace("hooked");
    let seen = std::fs::read_to_string(path.join("seen"))?;
    let leaked: Vec<_> = seen.lines().filter(|line| line.starts_with("GIT_")).collect();
    assert!(
        leaked
            .iter()
            .all(|line| line.starts_with("GIT_CONFIG_NOSYSTEM=")
                || line.starts_with("GIT_EXEC_PATH=")),
        "{leaked:?}"
    );
    assert_eq!(std::fs::read_to_string(path.join("top"))?.trim_end(), path.display().to_string());
    assert_eq!(world.git(&["status", "--short"])?, "");
    Ok(())
}
