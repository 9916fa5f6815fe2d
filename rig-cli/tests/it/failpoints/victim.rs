use std::error::Error;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::crowd::{Running, leader, until};
use crate::world::{Said, TestResult, World};

/// A command that kills itself at a point.
pub(super) fn armed(world: &World, point: &str, args: &[&str]) -> Command {
    let mut command = world.command(args);
    command.env("RIG_FAILPOINT", point).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command that is to be killed at this point.
pub(super) fn killed(world: &World, point: &str, args: &[&str]) -> Result<Said, Box<dyn Error>> {
    let said = Running::start(&mut armed(world, point, args))?.ends()?;
    assert_eq!(said.status, None, "it was to be killed at {point}: {said:?}");
    Ok(said)
}

/// Starts a command that stays until it is killed at this point, and waits until it leads.
pub(super) fn leads(world: &World, point: &str, args: &[&str]) -> Result<Running, Box<dyn Error>> {
    let child = Running::start(&mut armed(world, point, args))?;
    until("it leads", || leader(world) == Some(child.id()));
    Ok(child)
}

/// The IDs by which a thing is asked for again.
pub(super) fn project(number: usize) -> String {
    format!("prj_01m8nsvd62f67tndkxwnbwbx{number:02}")
}

/// The arguments that add the folder of this number as a project.
pub(super) fn add(world: &World, number: usize) -> Result<Vec<String>, Box<dyn Error>> {
    let folder = world.path(format!("folders/{number}"));
    std::fs::create_dir_all(&folder)?;
    let folder = folder.to_string_lossy().into_owned();
    Ok(["project", "add", &folder, "--id", &project(number)].map(str::to_owned).to_vec())
}

/// Adds a folder by whoever leads now.
pub(super) fn added(world: &World, number: usize) -> TestResult {
    let mut command = world.command(&[]);
    command.args(add(world, number)?).stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = Running::start(&mut command)?.ends()?.success()?;
    assert_eq!(said.trim_end(), project(number));
    Ok(())
}

/// The store is whole, and holds these projects once each, with one event each.
pub(super) fn there_are(world: &World, numbers: &[usize]) -> TestResult {
    assert_eq!(world.json(&["store", "check"])?["findings"], serde_json::json!([]));
    let listed = world.json(&["project", "list"])?;
    let mut found = ids(&listed["projects"], |row| row["id"].as_str());
    found.sort_unstable();
    let expected: Vec<_> = numbers.iter().map(|number| project(*number)).collect();
    assert_eq!(found, expected);
    let events = world.json(&["events"])?;
    let mut told = ids(&events["events"], |event| match event["type"].as_str() {
        Some("project.added") => event["about"][0].as_str(),
        _ => None,
    });
    told.sort_unstable();
    assert_eq!(told, expected);
    Ok(())
}

fn ids(rows: &Value, id: impl Fn(&Value) -> Option<&str>) -> Vec<String> {
    rows.as_array().into_iter().flatten().filter_map(id).map(str::to_owned).collect()
}
