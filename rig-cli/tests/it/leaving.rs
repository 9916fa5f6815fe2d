//! What becomes of the work on workspaces when whoever leads leaves: nothing is lost, nothing runs
//! twice at once, and nothing is called failed for it.

use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::crowd::{leader, until};
use crate::world::{TestResult, World};

/// Setup of the workspaces named like the files it waits for; it writes down each start and end.
const SETUP: &str = "\
cd $RIG_PROJECT_PATH/.. && key=$(basename $RIG_WORKSPACE_PATH) && echo start >> $key.log && \
while ! test -e $key.go; do sleep 0.02; done; echo end >> $key.log";

fn with_setup(setup: &str) -> Result<World, Box<dyn std::error::Error>> {
    let world = World::new()?;
    world.configure(&format!("workspace.setup_commands = ['{setup}']\n"))?;
    world.commit("setup")?;
    Ok(world)
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

/// The status of a workspace, and whether it was ever called failed.
fn outcome(world: &World, workspace: &str) -> Result<(Value, bool), Box<dyn std::error::Error>> {
    let status = world.json(&["workspace", "show", workspace])?["status"].take();
    let events = world.json(&["events"])?["events"].take();
    let events = events.as_array().cloned().unwrap_or_default();
    Ok((status, events.iter().any(|event| event["type"] == "workspace.failed")))
}

#[test]
fn work_for_another_client_is_stopped_and_that_client_leads_and_goes_on() -> TestResult {
    let world = with_setup(SETUP)?;
    let first = world.start(&["workspace", "create", "First"])?;
    until("the first one's setup runs", || lines(&world.path("first.log")) == 1);
    assert_eq!(leader(&world), Some(first.id()));
    let second = world.start(&["workspace", "create", "Second"])?;
    until("the setups overlap", || lines(&world.path("second.log")) == 1);

    std::fs::write(world.path("first.go"), "")?;
    first.ends()?.success()?;
    until("the second one leads", || leader(&world) == Some(second.id()));
    until("its setup runs again", || lines(&world.path("second.log")) == 2);
    std::fs::write(world.path("second.go"), "")?;
    second.ends()?.success()?;
    assert_eq!(std::fs::read_to_string(world.path("second.log"))?, "start\nstart\nend\n");
    assert_eq!(outcome(&world, "second")?, ("ready".into(), false));
    Ok(())
}

#[test]
fn a_setup_that_ignores_being_told_is_gone_before_anybody_runs_it_again() -> TestResult {
    let world = with_setup(
        "cd $RIG_PROJECT_PATH/..; trap : TERM; echo $$ >> pids; while ! test -e go; do sleep 0.05; done",
    )?;
    let creates = world.start(&["workspace", "create", "Slow"])?;
    until("setup runs", || lines(&world.path("pids")) == 1);
    let said = creates.ended(Signal::TERM)?;
    assert_eq!(said.status, Some(143), "{said:?}");
    let pid = std::fs::read_to_string(world.path("pids"))?;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    std::fs::write(world.path("go"), "")?;
    world.rig(&["workspace", "retry", "slow"])?.success()?;
    assert_eq!(outcome(&world, "slow")?, ("ready".into(), false));
    Ok(())
}

#[test]
fn a_checkout_comes_to_its_end_without_its_leader_and_is_adopted() -> TestResult {
    let world = World::new()?;
    let hook = world.repository.join(".git/hooks/post-checkout");
    let script = format!(
        "#!/bin/sh\ncd {0}; echo ran >> hook.log; while ! test -e go; do sleep 0.02; done\n",
        world.path("").display(),
    );
    std::fs::write(&hook, script)?;
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let creates = world.start(&["workspace", "create", "Slow"])?;
    until("git checks out", || lines(&world.path("hook.log")) == 1);
    assert_eq!(creates.ended(Signal::TERM)?.status, Some(143));
    assert_eq!(outcome(&world, "slow")?, ("initializing".into(), false));

    let retries = world.start(&["workspace", "retry", "slow"])?;
    until("it leads", || leader(&world) == Some(retries.id()));
    std::fs::write(world.path("go"), "")?;
    retries.ends()?.success()?;
    assert_eq!(lines(&world.path("hook.log")), 1, "git checked out once");
    assert_eq!(outcome(&world, "slow")?, ("ready".into(), false));
    Ok(())
}

#[test]
fn a_cleanup_whose_leader_leaves_is_carried_on_and_reported_by_the_next() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "Work"])?.success()?;
    std::fs::write(world.workspace("work").join("new"), "new\n")?;
    // git is held up, so that the cleanup is not done when its leader leaves.
    let turn = std::fs::File::create(world.repository.join(".git/rig-worktrees.lock"))?;
    turn.lock()?;
    let archives = world.start(&["workspace", "archive", "work"])?;
    let saved = || world.git(&["for-each-ref", "refs/rig/archived"]);
    until("what is not committed is saved", || saved().is_ok_and(|refs| !refs.is_empty()));
    assert_eq!(archives.ended(Signal::TERM)?.status, Some(143));
    assert!(world.workspace("work").exists());

    let again = world.start(&["--json", "workspace", "archive", "work"])?;
    until("it leads", || leader(&world) == Some(again.id()));
    drop(turn);
    let report: Value = serde_json::from_str(&again.ends()?.success()?)?;
    assert_eq!(report["workspace"]["status"], "archived");
    assert_eq!(report["lost"]["dirty"]["count"], 1);
    assert!(!world.workspace("work").exists());
    // Who asks for it later is told the same.
    let told = world.json(&["workspace", "archive", "work"])?;
    assert_eq!(told["lost"], report["lost"]);
    Ok(())
}
