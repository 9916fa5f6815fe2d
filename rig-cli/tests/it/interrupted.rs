use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::world::{Said, TestResult, World, signal};

/// A setup command that says that it runs and then waits until it is told to go on.
const WAITS: &str = "touch $RIG_PROJECT_PATH/../running; while ! test -e $RIG_PROJECT_PATH/../go; do sleep 0.02; done";

fn started(world: &World, daemon: &str) -> Result<Child, Box<dyn std::error::Error>> {
    world.configure(&format!("workspace.setup_commands = ['{WAITS}', 'touch made']\n"))?;
    world.commit("setup")?;
    let mut command = world.command(&["--json", "workspace", "create", "Slow"]);
    command.env("RIG_DAEMON", daemon).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn()?;
    until(&world.path("running"));
    Ok(child)
}

/// Waits until something is there; a minute is for a machine that is very busy.
fn until(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < Duration::from_mins(1), "{} never came", path.display());
        std::thread::yield_now();
    }
}

#[test]
fn interrupting_the_wait_gives_up_nothing() -> TestResult {
    for (name, status) in [("-INT", 130), ("-TERM", 143)] {
        let world = World::new()?;
        let child = started(&world, "never")?;
        assert!(signal(&child, name)?.success());
        let said = Said::from(child.wait_with_output()?);
        assert_eq!(said.error()?, ("cancelled".to_owned(), Some(status)), "{said:?}");
        assert!(said.stderr.contains("rig workspace retry ws_"), "{said:?}");
        assert_eq!(world.json(&["workspace", "show", "slow"])?["status"], "initializing");

        std::fs::write(world.path("go"), "")?;
        world.rig(&["workspace", "retry", "slow"])?.success()?;
        assert!(world.workspace("slow").join("made").exists());
    }
    Ok(())
}

#[test]
fn with_a_background_process_the_work_goes_on_by_itself() -> TestResult {
    let world = World::new()?;
    let child = started(&world, "auto")?;
    std::fs::remove_file(world.path("running"))?;
    assert!(signal(&child, "-INT")?.success());
    assert_eq!(child.wait_with_output()?.status.code(), Some(130));
    until(&world.path("running"));
    std::fs::write(world.path("go"), "")?;
    // Waits for the one who works on it.
    world.rig(&["workspace", "retry", "slow"])?.success()?;
    let steps = world.json(&["workspace", "show", "slow"])?["steps"].clone();
    let setups = steps.as_array().cloned().unwrap_or_default();
    assert_eq!(
        setups.iter().filter(|step| step["index"].is_u64() && step["outcome"] == "done").count(),
        2,
        "{steps}"
    );
    Ok(())
}

#[test]
fn any_next_command_starts_what_a_killed_one_left_behind() -> TestResult {
    let world = World::new()?;
    let mut child = started(&world, "auto")?;
    child.kill()?;
    child.wait()?;
    std::fs::write(world.path("go"), "")?;
    let mut command = world.command(&["workspace", "list"]);
    Said::from(command.env("RIG_DAEMON", "auto").output()?).success()?;
    until(&world.workspace("slow").join("made"));
    world.rig(&["workspace", "retry", "slow"])?.success()?;
    assert_eq!(world.json(&["workspace", "show", "slow"])?["status"], "ready");
    Ok(())
}
