use serde_json::Value;

use crate::world::{TestResult, World};

#[test]
fn every_operation_has_a_command_and_schemas() -> TestResult {
    let world = World::new()?;
    let printed: Value = serde_json::from_str(&world.rig(&["schema"])?.success()?)?;
    let operations = printed["operations"].as_array().cloned().unwrap_or_default();
    assert!(operations.len() > 20);
    for operation in operations {
        let name = &operation["name"];
        let command = operation["command"].as_str().ok_or(format!("{name} has no command"))?;
        let mut args: Vec<_> = command.split(' ').collect();
        args.push("--help");
        world.rig(&args)?.success()?;
        assert_eq!(operation["request"]["additionalProperties"], false, "{name}");
        assert_eq!(operation["reply"]["type"], "object", "{name}");
    }
    Ok(())
}

#[test]
fn completions_know_the_commands() -> TestResult {
    let world = World::new()?;
    for shell in ["bash", "zsh", "fish"] {
        let script = world.rig(&["completions", shell])?.success()?;
        assert!(script.contains("restore-work"), "{shell}");
    }
    assert_eq!(world.rig(&["completions", "tcsh-ish"])?.status, Some(2));
    Ok(())
}

#[test]
fn manual_pages_are_there_for_every_command() -> TestResult {
    let world = World::new()?;
    assert!(world.rig(&["man"])?.success()?.contains(".TH rig 1"));
    let page = world.rig(&["man", "workspace", "create"])?.success()?;
    assert!(page.contains("rig\\-workspace\\-create"), "{page}");
    assert_eq!(world.rig(&["man", "nope"])?.status, Some(2));
    Ok(())
}
