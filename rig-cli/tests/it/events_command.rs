use crate::world::{TestResult, World};

fn kinds(events: &serde_json::Value) -> Vec<String> {
    let rows = events["events"].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row| row["type"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn events_tell_what_happened_after_a_cursor() -> TestResult {
    let world = World::new()?;
    world.rig(&["project", "add"])?.success()?;
    let first = world.json(&["events"])?;
    assert_eq!(kinds(&first), ["project.added"]);
    world.rig(&["workspace", "create", "One", "--no-wait"])?.success()?;
    let cursor = first["cursor"].as_str().unwrap_or_default().to_owned();
    let later = world.json(&["events", "--after", &cursor])?;
    assert_eq!(kinds(&later), ["workspace.created"]);
    let text = world.rig(&["events"])?.success()?;
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("  workspace.created  "), "{text}");
    let last = later["cursor"].as_str().unwrap_or_default().to_owned();
    assert_eq!(kinds(&world.json(&["events", "--after", &last])?), Vec::<String>::new());
    Ok(())
}

#[test]
fn cursors_that_are_none_or_another_stores_are_refused() -> TestResult {
    let world = World::new()?;
    world.rig(&["project", "add"])?.success()?;
    let said = world.rig(&["--json", "events", "--after", "x"])?;
    assert_eq!(said.error()?, ("cursor_malformed".to_owned(), Some(2)));
    let other = World::new()?;
    other.rig(&["project", "add"])?.success()?;
    let cursor = other.json(&["events"])?["cursor"].as_str().unwrap_or_default().to_owned();
    let said = world.rig(&["--json", "events", "--after", &cursor])?;
    assert_eq!(said.error()?, ("cursor_unknown".to_owned(), Some(5)));
    Ok(())
}
