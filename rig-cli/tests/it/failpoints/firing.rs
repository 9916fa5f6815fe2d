use std::time::{Duration, Instant};

use serde_json::Value;

use super::victim::{killed, leads};
use crate::crowd::until;
use crate::world::{TestResult, World};

/// Knows nobody.
const AGENT: &str = "agt_01m8nsvd62f67tndkxwnbwbx30";

/// The events of these kinds, by kind.
fn told(world: &World, kinds: &[&str]) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let events = world.json(&["events"])?;
    let kinds = events["events"].as_array().into_iter().flatten().filter_map(|event| {
        event["type"].as_str().filter(|kind| kinds.contains(kind)).map(str::to_owned)
    });
    Ok(kinds.collect())
}

/// A leader dies while it fires a wait of its own, and another one of somebody who follows: both end
/// once, late, at the next leader.
fn dies_while_it_fires(point: &str) -> TestResult {
    let world = World::new()?;
    // Somebody leads who dies when the first row is due.
    let dying = leads(&world, point, &["wait", "1500ms", "--key", "own"])?;
    let follows = world.start(&["--json", "wait", "1600ms", "--key", "other"])?;
    assert_eq!(dying.ends()?.status, None, "{point}");
    let other: Value = serde_json::from_str(&follows.ends()?.success()?)?;
    assert_eq!((&other["reason"], &other["interrupted"]), (&"elapsed".into(), &false.into()));
    // The dead one's wait is the same one for whoever asks with its key.
    let own = world.json(&["wait", "1500ms", "--key", "own"])?;
    assert_eq!(own["reason"], "elapsed");
    assert!(own["elapsed_seconds"].as_f64() >= Some(1.5), "{own}");
    let told = told(&world, &["wait.started", "wait.ended"])?;
    assert_eq!(told.iter().filter(|kind| *kind == "wait.started").count(), 2, "{told:?}");
    assert_eq!(told.iter().filter(|kind| *kind == "wait.ended").count(), 2, "{told:?}");
    assert_eq!(world.json(&["store", "check"])?["findings"], serde_json::json!([]));

    // A message that is due when the store is opened, which is before anybody is served.
    let world = World::new()?;
    let scheduled = world.json(&["schedule", "send", AGENT, "hello", "--in", "200ms"])?;
    let id = scheduled["id"].as_str().unwrap_or_default().to_owned();
    let began = Instant::now();
    until("it is due", || began.elapsed() > Duration::from_millis(300));
    killed(&world, point, &["schedule", "list"])?;
    let listed = world.json(&["schedule", "show", &id])?;
    assert_eq!(listed["status"], "undelivered", "{listed}");
    assert_eq!(listed["failure"]["code"], "agent_not_found", "{listed}");
    let told = self::told(&world, &["scheduled.created", "scheduled.undelivered"])?;
    assert_eq!(told, ["scheduled.created", "scheduled.undelivered"]);
    Ok(())
}

#[test]
fn fire_taken() -> TestResult {
    dies_while_it_fires("fire.taken")
}

#[test]
fn fire_before_commit() -> TestResult {
    dies_while_it_fires("fire.before_commit")
}

#[test]
fn fire_after_commit() -> TestResult {
    dies_while_it_fires("fire.after_commit")
}

#[test]
fn lost_answer() -> TestResult {
    let world = World::new()?;
    let args = ["schedule", "send", AGENT, "hello", "--in", "8h", "--key", "once"];
    let said = killed(&world, "reply.before", &args)?;
    assert_eq!(said.stdout, "");
    let first = world.json(&args)?;
    assert_eq!(world.json(&args)?, first);
    let listed = world.json(&["schedule", "list"])?;
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(told(&world, &["scheduled.created"])?.len(), 1);
    Ok(())
}
