use std::process::Stdio;

use crate::world::{Said, TestResult, World};

#[test]
fn no_wait_leaves_the_work_to_a_process_that_ends_with_it() -> TestResult {
    let world = World::new()?;
    for number in 0..6 {
        let name = format!("Task {number}");
        let mut command = world.command(&["workspace", "create", &name, "--no-wait"]);
        let said = Said::from(command.env("RIG_DAEMON", "auto").output()?);
        assert_eq!(said.stderr, "");
        said.success()?;
    }
    for number in 0..6 {
        let key = format!("task-{number}");
        world.rig(&["workspace", "retry", &key])?.success()?;
        assert!(world.workspace(&key).join("README").exists());
    }
    Ok(())
}

#[test]
fn a_worker_takes_up_all_that_is_due_and_ends() -> TestResult {
    let world = World::new()?;
    for name in ["One", "Two", "Three", "Four", "Five"] {
        world.rig(&["workspace", "create", name, "--no-wait"])?.success()?;
    }
    let start = |_| world.command(&["__work"]).stderr(Stdio::piped()).spawn();
    let workers = (0..3).map(start).collect::<Result<Vec<_>, _>>()?;
    for worker in workers {
        assert_eq!(worker.wait_with_output()?.status.code(), Some(0));
    }
    let listed = world.json(&["workspace", "list"])?;
    let rows = listed["workspaces"].as_array().cloned().unwrap_or_default();
    assert_eq!(rows.iter().filter(|row| row["status"] == "ready").count(), 5);
    Ok(())
}
